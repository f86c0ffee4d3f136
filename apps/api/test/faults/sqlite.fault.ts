import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { patiently } from '../patiently.ts';
import { plantStore, startService, TOKEN } from '../running-service.ts';
import { openClient, type Result } from './client.ts';
import { expectEveryResponse, RESPONDED_WITHIN_MS } from './expectations.ts';
import { byOutcome, contradictions, figuresOfResults, milliseconds, print, recovery } from './figures.ts';
import { mountFreezableDisk } from './freezable-disk.ts';
import { sendAgain, startLoad } from './load.ts';
import { newPlants } from './plants.ts';
import { watchProbes } from './probes.ts';
import { mountSmallDisk } from './small-disk.ts';
import { plantsInFile } from './stored-plants.ts';

async function start(path: string) {
  const service = await startService({ DATABASE_URL: `sqlite:${path}`, SHUTDOWN_DELAY_MS: '0' });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const client = openClient(service.url);
  onTestFinished(client.close);
  const probes = watchProbes(service.adminUrl);
  onTestFinished(probes.stop);
  return { service, send: client.send, probes };
}

test('the disk of a SQLite file is full', async () => {
  const leave: (() => Promise<unknown>)[] = [];
  const disk = await mountSmallDisk(() => Promise.all(leave.map((end) => end())));
  const path = join(disk.directory, 'plants.db');
  const { service, send, probes } = await start(path);
  leave.push(() => {
    service.process.kill('SIGKILL');
    return service.ended;
  });

  const load = startLoad(200, newPlants(1_000), send);
  await sleep(2_000);
  await disk.fill();
  const fullAt = performance.now();
  await sleep(5_000);
  const emptiedAt = performance.now();
  await disk.empty();
  const repairedAt = performance.now();
  await sleep(4_000);
  const results = await load.stop();
  const inFault = results.filter(({ sentAt, completedAt }) => sentAt >= fullAt && completedAt <= emptiedAt);
  const ready = probes.statuses('/readyz', fullAt, emptiedAt);
  const again = await sendAgain(results, send);
  const observed = { results, again, repairedAt, stored: plantsInFile(path) };

  print('disk of a SQLite file full', [
    ...figuresOfResults(observed),
    `while it was full ${byOutcome(inFault)}, ready ${ready}`,
    `steady again ${milliseconds(recovery(observed))} after the repair`,
  ]);
  expect(again.length).toBeGreaterThan(0);
  expectEveryResponse(observed);
  expect(new Set(ready)).toEqual(new Set([503]));
  expect(probes.statuses('/readyz', repairedAt, Infinity)).toContain(200);
  expect(recovery(observed)).toBeLessThanOrEqual(1_000);
});

test.each(['a new', 'an existing'])('the disk of %s SQLite file is full at the start', async (kind) => {
  const leave: (() => Promise<unknown>)[] = [];
  const disk = await mountSmallDisk(() => Promise.all(leave.map((end) => end())));
  const path = join(disk.directory, 'plants.db');
  const environment = { DATABASE_URL: `sqlite:${path}`, PORT: '0', API_TOKENS: TOKEN };
  if (kind === 'an existing') expect(await plantStore(['migrate', 'up'], environment).ended).toBe(0);
  await disk.fill();
  const { service, send } = await start(path);
  leave.push(() => {
    service.process.kill('SIGKILL');
    return service.ended;
  });
  const isReady = async () => (await fetch(`${service.adminUrl}/readyz`)).status === 200;
  const fern = { id: 1, name: 'Fern' };
  const results = [await send(fern)];
  expect([await isReady(), results[0]?.outcome]).toEqual([false, 503]);
  expect(service.output()).toMatch(/the disk is full: free space/);
  await disk.empty();
  await expect.poll(isReady, patiently).toBe(true);
  results.push(await send(fern));
  expect(results[1]?.outcome).toBe(200);
  expect(contradictions({ results, again: [], stored: plantsInFile(path) })).toEqual([]);
});

test('the log of a SQLite file cannot be written to', async () => {
  const { directory } = await mountFreezableDisk();
  const path = join(directory, 'plants.db');
  const { service, send } = await start(path);
  const setImmutable = (sign: '+' | '-') => execFileSync('chattr', [`${sign}i`, `${path}-wal`]);
  const results: Result[] = [];
  const [create, ready] = [
    async (id: number) => {
      results.push(await send({ id, name: 'Fern' }));
      return results.at(-1)?.outcome;
    },
    async () => (await fetch(`${service.adminUrl}/readyz`)).status,
  ];
  expect([await create(1), await ready()]).toEqual([200, 200]);
  setImmutable('+');
  const inFault = [await create(2), await ready()];
  setImmutable('-');
  expect(inFault).toEqual([503, 503]);
  expect([await ready(), await create(2)]).toEqual([200, 200]);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  expect(contradictions({ results, again: [], stored: plantsInFile(path) })).toEqual([]);
});

test('the file system of a SQLite file hangs', async () => {
  const disk = await mountFreezableDisk();
  const path = join(disk.directory, 'plants.db');
  const { service, send, probes } = await start(path);

  const load = startLoad(200, newPlants(), send);
  await sleep(2_000);
  disk.freeze();
  const begunAt = performance.now();
  await sleep(10_000);
  const thawedAt = performance.now();
  disk.thaw();
  const repairedAt = performance.now();
  await sleep(4_000);
  const results = await load.stop();
  const again = await sendAgain(results, send);
  const observed = { results, again, repairedAt, stored: plantsInFile(path) };

  disk.freeze();
  const hanging = send({ id: -1, name: 'Fern' });
  await sleep(500);
  const signalledAt = performance.now();
  service.process.kill('SIGTERM');
  const [exit, { outcome }] = await Promise.all([service.ended, hanging]);
  const endedAfterMs = performance.now() - signalledAt;

  const ready = probes.statuses('/readyz', begunAt, thawedAt);
  print('file system of a SQLite file hangs', [
    ...figuresOfResults(observed),
    `live ${probes.statuses('/livez', begunAt, thawedAt)}, ready ${ready}`,
    `steady again ${milliseconds(recovery(observed))} after the repair`,
    `SIGTERM while it hangs: exit ${exit} after ${milliseconds(endedAfterMs)}, in flight ${outcome}`,
  ]);
  expectEveryResponse(observed);
  const live = probes.between(begunAt, thawedAt).filter(({ path: asked }) => asked === '/livez');
  expect(live.filter(({ status, sentAt, completedAt }) => status !== 200 || completedAt - sentAt > 1_000)).toEqual([]);
  expect(live.length).toBeGreaterThan(20);
  expect(new Set(ready)).toEqual(new Set([503]));
  expect(recovery(observed)).toBeLessThanOrEqual(1_000);
  expect([exit, outcome]).toEqual([0, 503]);
  expect(endedAfterMs).toBeLessThanOrEqual(7_000 + RESPONDED_WITHIN_MS);
});
