import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { plantsInFile } from '../load.ts';
import { patiently } from '../patiently.ts';
import { beginService, create, listening, plantStore } from '../running-service.ts';
import { mountDisk } from './disk.ts';
import { RESPONDED_WITHIN_MS, underFault } from './under-fault.ts';

/** A disk, a place for a SQLite file on it, and what runs a service there, which may have to wait for the disk. */
async function place() {
  const leave: (() => Promise<unknown>)[] = [];
  const disk = await mountDisk(() => Promise.all(leave.map((end) => end())));
  const path = join(disk.directory, 'plants.db');
  const environment = { DATABASE_URL: `sqlite:${path}`, SHUTDOWN_DELAY_MS: '0' };
  const begin = () => {
    const service = beginService(environment);
    leave.push(() => {
      service.process.kill('SIGKILL');
      return service.ended;
    });
    return service;
  };
  return { disk, path, begin, start: () => listening(begin()) };
}

test('the disk of a SQLite file is full', async () => {
  const { disk, path, start } = await place();
  const fault = { begin: disk.fill, repair: disk.empty, lastsMs: 5_000, nameLength: 1_000 };
  const { results, ready } = await underFault('disk full', await start(), fault, async () => plantsInFile(path));
  expect(results.filter(({ outcome }) => outcome === '503').length).toBeGreaterThan(0);
  expect(ready).toEqual(new Set([503]));
});

test.each(['a new', 'an existing'])('the disk of %s SQLite file is full at the start', async (kind) => {
  const { disk, path, begin } = await place();
  if (kind === 'an existing')
    expect(await plantStore(['migrate', 'up'], { DATABASE_URL: `sqlite:${path}` }).ended).toBe(0);
  await disk.fill();
  const service = begin();
  const [, adminUrl] = await service.printed(/"admin listener on ([^"]+)"/);
  const ready = async () => (await fetch(`${adminUrl}/readyz`)).status;
  await expect.poll(() => service.output(), patiently).toMatch(/the disk is full: free space/);
  expect(await ready()).toBe(503);
  await disk.empty();
  await expect.poll(ready, patiently).toBe(200);
  const { url } = await listening(service);
  expect((await create(url, { id: 1, name: 'Fern' })).status).toBe(200);
  expect([...plantsInFile(path).values()]).toEqual([{ id: 1, name: 'Fern' }]);
});

test('the file system of a SQLite file hangs', async () => {
  const { disk, path, start } = await place();
  const service = await start();
  const fault = { begin: disk.freeze, repair: disk.thaw, lastsMs: 10_000 };
  const { live, ready } = await underFault('file system hangs', service, fault, async () => plantsInFile(path));
  expect([live, ready]).toEqual([new Set([200]), new Set([503])]);

  disk.freeze();
  const hanging = create(service.url, { id: -1, name: 'Fern' });
  await sleep(500);
  const signalledAt = performance.now();
  service.process.kill('SIGTERM');
  expect([await service.ended, (await hanging).status]).toEqual([0, 503]);
  expect(performance.now() - signalledAt).toBeLessThanOrEqual(7_000 + RESPONDED_WITHIN_MS);
});
