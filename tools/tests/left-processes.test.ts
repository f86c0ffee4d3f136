import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { leftProcesses, RUN } from './left-processes.ts';

const run = randomUUID();

/** A process in a session of its own, whose parent need not wait for it: what a test may forget. */
async function forgotten(environment: NodeJS.ProcessEnv): Promise<number | undefined> {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env: { ...process.env, ...environment } });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child.pid;
}

test.runIf(process.platform === 'linux')(
  'a process that a run has left behind is found, and those of other runs are not',
  async () => {
    const pids = [await forgotten({ [RUN]: run }), await forgotten({ [RUN]: `${run}/inner` })];
    await forgotten({ [RUN]: `${run}0` });
    const left = await leftProcesses(run, 0);
    expect(left.toSorted((a, b) => a.pid - b.pid)).toEqual(pids.map((pid) => ({ pid, command: 'sleep 60' })));
  },
);

test('one that is about to end is waited for', async () => {
  const child = spawn('sleep', ['0.1'], { env: { ...process.env, [RUN]: run } });
  await once(child, 'spawn');
  expect(await leftProcesses(run)).toEqual([]);
  expect(child.exitCode).toBe(0);
});
