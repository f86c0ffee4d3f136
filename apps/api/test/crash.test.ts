import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { contradictions, isUndecided, plantsInFile, sentAgain, startLoad } from './load.ts';
import { patiently } from './patiently.ts';
import { scratchDirectory, startService } from './running-service.ts';

// On SQLite. `test:faults` breaks PostgreSQL and disks, too.
test('two instances on one store: every plant that got 200 is stored after kill -9 of both under load and a restart', async () => {
  const path = join(await scratchDirectory(onTestFinished), 'plants.db');
  const start = async () => {
    const service = await startService({ DATABASE_URL: `sqlite:${path}` });
    onTestFinished(() => void service.process.kill('SIGKILL'));
    return service;
  };
  const instances = await Promise.all([start(), start()]);
  let turn = 0;
  const load = startLoad(() => instances[turn++ % 2]?.url ?? '', 300);
  const stored = () => load.results.filter(({ outcome }) => outcome === '200').length;
  await expect.poll(stored, patiently).toBeGreaterThan(300);
  for (const { process, ended } of instances) {
    process.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
  }
  const results = await load.stop();
  const { url } = await start();
  const again = await sentAgain(results, url);
  expect(again.filter(isUndecided)).toEqual([]);
  expect(contradictions(results, again, plantsInFile(path))).toEqual([]);
});
