import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../running-service.ts';
import { openClient } from './client.ts';
import { expectEveryResponse } from './expectations.ts';
import { figuresOfResults, milliseconds, print, recovery } from './figures.ts';
import { sendAgain, startLoad } from './load.ts';
import { newPlants } from './plants.ts';
import { mountSmallDisk } from './small-disk.ts';
import { plantsInFile } from './stored-plants.ts';

test('the disk of a SQLite file is full', async () => {
  const leave: (() => Promise<unknown>)[] = [];
  const disk = await mountSmallDisk(() => Promise.all(leave.map((end) => end())));
  const path = join(disk.directory, 'plants.db');
  const service = await startService({ DATABASE_URL: `sqlite:${path}` });
  leave.push(() => {
    service.process.kill('SIGKILL');
    return service.ended;
  });
  const { send, close } = openClient(service.url);
  onTestFinished(close);

  const load = startLoad(200, newPlants(1_000), send);
  await sleep(2_000);
  await disk.fill();
  await sleep(5_000);
  await disk.empty();
  const repairedAt = performance.now();
  await sleep(4_000);
  const results = await load.stop();
  const again = await sendAgain(results, send);
  const observed = { results, again, repairedAt, stored: plantsInFile(path) };

  print('disk of a SQLite file full', [
    ...figuresOfResults(observed),
    `steady again ${milliseconds(recovery(observed))} after the repair`,
  ]);
  expect(again.length).toBeGreaterThan(0);
  expectEveryResponse(observed);
  expect(recovery(observed)).toBeLessThanOrEqual(1_000);
});
