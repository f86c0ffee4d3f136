import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { DedicatedServer } from './dedicated-server.ts';

/** Adds a plant, prints the outcome, waits until its standard input ends, and closes the store. */
const PROGRAM = `
import { text } from 'node:stream/consumers';
const { storageAdapter } = await import(process.env.ADAPTER);
const store = await storageAdapter.at(process.env.DATABASE_URL, {}).open();
console.log((await store.plants.add({ id: 1n, name: 'Fern' })).outcome);
await text(process.stdin);
await store.close();`;

/**
 * Uses a store in another process, pauses the server, and makes the process close the store.
 *
 * @param adapter the URL of the module that exports the `storageAdapter`.
 * @returns the exit code of the process, or null and the signal that ended it.
 */
export async function exitWhileServerHangs(
  adapter: string,
  databaseUrl: string,
  server: Pick<DedicatedServer, 'pause' | 'resume'>,
): Promise<readonly [code: number | null, signal: NodeJS.Signals | null]> {
  const child = spawn(process.execPath, ['--conditions=development', '--input-type=module', '--eval', PROGRAM], {
    env: { ...process.env, ADAPTER: adapter, DATABASE_URL: databaseUrl },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  await server.pause();
  child.stdin.end();
  const [code, signal] = await exit;
  await server.resume();
  return [code, signal];
}
