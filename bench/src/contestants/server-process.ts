import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@plant-store/testing-servers';
import type { Usage } from './report-usage.ts';

/** A contestant's process that is listening. */
export interface ServerProcess {
  readonly port: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** Accepted by every measured server. */
export const TOKEN = 'token-of-the-benchmark';

const START_MS = 30_000;

/**
 * Starts a program as in production and waits until it is listening on `PORT`. It runs from source: Node strips the types and
 * runs the same code as a build, but never a stale one. Its log is read from a pipe, as a container runtime does, and
 * discarded: keeping it would be measured as well.
 */
export async function startServer(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const port = await freePort();
  const child = fork(program, args, {
    execArgv: ['--conditions=development', '--import', join(import.meta.dirname, 'report-usage.ts')],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      SHUTDOWN_DELAY_MS: '0',
      PORT: String(port),
      API_TOKENS: TOKEN,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout?.resume();
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-2_000);
  });
  const deadline = performance.now() + START_MS;
  // Any response will do.
  while (!(await fetch(`http://127.0.0.1:${port}/`).then(Boolean, () => false))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${program} exited: ${stderr}`);
    if (performance.now() > deadline) throw new Error(`${program} is not listening after ${START_MS} ms: ${stderr}`);
    await sleep(20);
  }
  return {
    port,
    async usage() {
      child.send('usage');
      const [usage] = (await once(child, 'message')) as [Usage];
      return usage;
    },
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
