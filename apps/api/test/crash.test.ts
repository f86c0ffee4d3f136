import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { composedService } from './composed-service.ts';
import { contradictions, isUndecided, plantsInFile, sentAgain, startLoad } from './load.ts';
import { scratchDirectory, startService } from './running-service.ts';

// On SQLite. `test:faults` breaks PostgreSQL and disks, too.
test('P1/F1 P1/F10 P3/F1 P3/F10 two instances on one store: every plant that got 200 is stored after kill -9 of both under load and a restart', async () => {
  const path = join(await scratchDirectory(onTestFinished), 'plants.db');
  // On a busy disk an add may take seconds.
  const start = () => startService({ DATABASE_URL: `sqlite:${path}`, DATABASE_TIMEOUT_MS: '20000' });
  using one = await start();
  using other = await start();
  const instances = [one, other];
  let turn = 0;
  const load = startLoad(() => instances[turn++ % 2]?.url ?? '', 150, { mostInFlight: 50 });
  const stored = () => load.results.filter(({ outcome }) => outcome === '200').length;
  await expect.poll(stored).toBeGreaterThan(100);
  for (const { stop } of instances) expect(await stop('SIGKILL')).toBe('SIGKILL');
  const results = await load.stop();
  const restarted = await composedService({ DATABASE_URL: `sqlite:${path}`, DATABASE_TIMEOUT_MS: '20000' });
  onTestFinished(() => restarted.stop());
  const again = await sentAgain(results, restarted.url);
  expect(again.filter(isUndecided)).toEqual([]);
  expect(contradictions(results, again, plantsInFile(path))).toEqual([]);
});
