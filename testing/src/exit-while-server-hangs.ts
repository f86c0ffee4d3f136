import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { DedicatedServer } from './dedicated-server.ts';

/**
 * Starts a program that uses a store until its standard input ends, and pauses the server before that.
 *
 * @param program its path. It says on standard output that it has used the store, and closes it at the end.
 * @returns its exit code, or null and the signal that ended it.
 */
export async function exitWhileServerHangs(
  program: string,
  databaseUrl: string,
  server: Pick<DedicatedServer, 'pause' | 'resume'>,
): Promise<readonly [code: number | null, signal: NodeJS.Signals | null]> {
  const child = spawn(process.execPath, ['--conditions=development', program], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
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
