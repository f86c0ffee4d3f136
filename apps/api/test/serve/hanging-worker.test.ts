import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type RunningProcess, run } from '../running-process.ts';
import { scratchDirectory } from '../running-service.ts';

const source = join(import.meta.dirname, '../../src/serve');

/**
 * One worker, and what its processes do, in turn: the first may be debugged and blocks its event loop for longer than is
 * allowed, and once more when it no longer may be debugged; the second hangs while it starts; the third starts, and
 * is killed once the primary knows that it listens; the others start.
 */
const program = `
import cluster from 'node:cluster';
import { appendFileSync, readFileSync } from 'node:fs';
import inspector from 'node:inspector';

function block(ms) {
  for (const end = performance.now() + ms; performance.now() < end; );
}

if (cluster.isPrimary) {
  const { startWorkers } = await import('${source}/workers.ts');
  const times = { startMs: 5_000, restartDelayMs: 10, heartbeatMs: 50, stalledMs: 490 };
  startWorkers(1, { error: console.log }, times).started.catch(console.log);
} else {
  const { serveForPrimary } = await import('${source}/worker.ts');
  const log = new URL('processes', import.meta.url);
  appendFileSync(log, '.');
  const nth = readFileSync(log).length;
  if (nth === 1) inspector.open(0);
  await serveForPrimary(() => (nth === 2 ? new Promise(() => {}) : Promise.resolve({ url: 'here', failed: new Promise(() => {}) })), console);
  if (nth > 2) console.log('worker ' + process.env.PLANT_STORE_WORKER + ' started');
  // The primary sends heartbeats to workers that listen.
  if (nth === 3) process.on('message', ({ heartbeat }) => heartbeat && process.kill(process.pid, 'SIGKILL'));
  if (nth === 1)
    setTimeout(() => {
      block(1_200);
      console.log('not killed');
      inspector.close();
      setTimeout(block, 200, 60_000);
    }, 100);
}
`;

/** Its worker asks for a listener, and is killed by a stop before the primary has read that. */
const stopsWhileItStarts = `
import cluster from 'node:cluster';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

const asked = new URL('asked', import.meta.url);
if (cluster.isPrimary) {
  const { startWorkers } = await import('${source}/workers.ts');
  const workers = startWorkers(1, console);
  while (!existsSync(asked));
  workers.stop(0).then(() => console.log('stopped'), console.log);
} else {
  createServer().listen(0);
  writeFileSync(asked, '');
}
`;

async function runPrimary(source: string): Promise<RunningProcess> {
  const path = join(await scratchDirectory(onTestFinished), 'primary.mjs');
  await writeFile(path, source);
  const primary = run(process.execPath, ['--conditions=development', path], {});
  onTestFinished(() => void primary.process.kill('SIGKILL'));
  return primary;
}

test('a worker that hangs while it is restarted is killed and restarted; one that is debugged may hang; one that is killed is restarted under its name', async () => {
  const primary = await runPrimary(program);
  await primary.printed(/started$.*started$/ms);
  const lines = primary.output().split('\n');
  expect(lines.filter((line) => /^not killed|^a? ?worker/.test(line)).slice(0, 8)).toEqual([
    'not killed',
    expect.stringMatching(/^worker \d+ has not responded for 490 ms; killing it$/),
    expect.stringMatching(/^worker \d+ exited \(SIGKILL\); restarting$/),
    expect.stringMatching(/^worker \d+ has not started within 5000 ms; killing it$/),
    'a worker exited before it was listening (SIGKILL); see its message above',
    'worker 1 started',
    expect.stringMatching(/^worker \d+ exited \(SIGKILL\); restarting$/),
    'worker 1 started',
  ]);
});

test('a worker that is killed because it has accepted nothing yet is no failure of the stop', async () => {
  const primary = await runPrimary(stopsWhileItStarts);
  await primary.ended;
  expect(primary.output()).toBe('stopped\n');
});
