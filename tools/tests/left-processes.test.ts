import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { leftProcesses, RUN } from './left-processes.ts';

const run = randomUUID();

test('a process that a run has left behind is found, and those of other runs are not', async () => {
  const pids = [await forgotten(run), await forgotten(`${run}/inner`)];
  await forgotten(`${run}0`);
  const expected = pids.map((pid) => ({ pid, command: 'sleep 60' }));
  const left = await leftProcesses(run, 0);
  expect(left.toSorted((a, b) => a.pid - b.pid)).toEqual(process.platform === 'linux' ? expected : []);
});

test('one that is about to end is waited for', async () => {
  const child = spawn('sleep', ['0.1'], { env: { ...process.env, [RUN]: run } });
  const ended = once(child, 'exit');
  await once(child, 'spawn');
  expect(await leftProcesses(run)).toEqual([]);
  expect(await ended).toEqual([0, null]);
});

/** A process in a session of its own, for which its parent need not wait: what a test may forget. */
async function forgotten(itsRun: string): Promise<number | undefined> {
  const env = { ...process.env, [RUN]: itsRun };
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child.pid;
}
