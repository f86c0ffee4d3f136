// A process of its own, started by writer.ts: what blocks in a system call, for as long as a file system hangs, is this
// process and no other.

import type { NewPlant } from '@plant-store/domain';
import { openDatabase } from './database.ts';
import { type Failure, serializeError, translateError } from './errors.ts';
import { migrate, migrationStatus } from './migrator.ts';
import { statementsOn } from './statements.ts';

/** Answered out of order: an insert may wait for a lock while another call is served. */
export type Call = readonly [number: number, name: keyof Operations, ...given: unknown[]];

/** The outcome of the call with the same number. */
export type Reply = readonly [number: number, failure: Failure | undefined, result?: unknown];

export type Operations = typeof operations;

// What is made is for its owner alone.
process.umask(0o077);

const [path = '', timeout] = process.argv.slice(2);
const timeoutMs = Number(timeout);
const open = async () => statementsOn(await openDatabase(path, timeoutMs));
let opened: ReturnType<typeof open> | undefined;

/** Opened by the first call, and by the next one if that fails. */
function file(): ReturnType<typeof open> {
  opened ??= open().catch((error) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

const operations = {
  open: async () => void (await file()),
  checkTable: async () => (await file()).checkTable(performance.now() + timeoutMs),
  async insert(plants: readonly NewPlant[], withinMs: number) {
    const deadline = performance.now() + withinMs;
    return (await file()).insert(plants, deadline);
  },
  probe: async () => (await file()).probe(performance.now() + timeoutMs),
  status: () => migrationStatus(path, timeoutMs),
  migrate: () => migrate(path, timeoutMs),
  close: async () => (await opened)?.close(),
};

process.on('message', async ([number, name, ...given]: Call) => {
  const reply: Reply = await (operations[name] as (...given: unknown[]) => Promise<unknown>)(...given).then(
    (result) => [number, undefined, result] as const,
    (error) => [number, serializeError(translateError(error, path))] as const,
  );
  // The other process may have exited meanwhile, which is handled below.
  process.send?.(reply, undefined, {}, () => {});
});

// The process that started this one has exited, or has no more to do for it.
process.once('disconnect', () => process.exit());

// A terminal and a supervisor send these to every process of a service. That one shuts down in order, and this one with it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
