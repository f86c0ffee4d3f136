import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/index.ts';
import { storeAt } from '../../src/stores/index.ts';
import { plantStore, scratchDirectory } from '../running-service.ts';

// Every new version of the service migrates when it starts, and several may start at once. Within one process, and again,
// MG-2 and MG-3 have it.
test('two processes may migrate one new SQLite file at once', async () => {
  const DATABASE_URL = `sqlite:${join(await scratchDirectory(onTestFinished), 'plants.db')}`;
  const both = [1, 2].map(() => plantStore(['migrate', 'up'], { DATABASE_URL }));
  expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([0, 0]);
  const onError = (error: Error) => expect.unreachable(error.message);
  const migrations = await storeAt(readConfig({ DATABASE_URL }), { onError }).status();
  expect(migrations).not.toContainEqual(expect.objectContaining({ applied: false }));
});
