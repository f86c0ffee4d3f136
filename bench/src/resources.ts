import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from './contestants/contestants.ts';
import { engines, useServer } from './stores/servers.ts';
import { type SlowSyncs, slowSyncs } from './stores/slow-syncs.ts';
import { useSqlite } from './stores/sqlite.ts';
import type { Store } from './stores/store.ts';

/** Shared by the contestants of a suite. */
export interface Resources {
  /** On the disk that commits are synced to. */
  readonly directory: string;
  /** Those in use. */
  readonly stores: ReadonlyMap<Engine, Store>;
  /** A text says why syncs cannot be made slower. */
  readonly slowSyncs: SlowSyncs | string;
}

/**
 * Opens what the engines need, until the stack is disposed of.
 *
 * @param slower whether syncs shall be made slower; if not, nothing is preloaded.
 */
export async function openResources(
  used: ReadonlySet<Engine>,
  slower: boolean,
  stack: AsyncDisposableStack,
): Promise<Resources> {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  // PostgreSQL may run as another user.
  chmodSync(directory, 0o755);
  const remove = () => rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  stack.defer(remove);
  const slow = slower ? slowSyncs(directory) : 'not asked for';
  const stores = new Map<Engine, Store>();
  if (typeof slow !== 'string') Object.assign(process.env, slow.environment);
  for (const engine of used) {
    const store = engine === 'sqlite' ? useSqlite(directory) : await useServer(engines[engine], process.env);
    stack.defer(store.stop);
    stores.set(engine, store);
  }
  delete process.env['LD_PRELOAD'];
  const isGiven = [...stores.values()].some(({ isOurs }) => !isOurs);
  return { directory, stores, slowSyncs: isGiven ? 'the server is given' : slow };
}
