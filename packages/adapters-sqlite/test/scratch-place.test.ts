import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { storeHarness } from '@plant-store/adapters-sqlite/harness';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from './temporary-files.ts';

test('a scratch place is a directory beside the given file, which is not made, and nothing is left of it', async () => {
  const directory = await temporaryDirectory(onTestFinished);
  const place = await storeHarness(`sqlite:${join(directory, 'plants.db')}`).prepare();
  expect(await readdir(directory)).toEqual([expect.stringMatching(/^plants\.db\.verify-/)]);
  await place.dispose();
  expect(await readdir(directory)).toEqual([]);
  const nowhere = storeHarness('sqlite:/proc/plants.db').prepare();
  await expect(nowhere).rejects.toThrow('cannot create a directory beside /proc/plants.db');
});
