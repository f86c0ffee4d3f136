import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqlite, sqliteExport } from '@plant-store/adapters-sqlite';
import { sqliteHarness } from '@plant-store/adapters-sqlite/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { plantExportContract } from '@plant-store/contracts-stores';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { afterAll, expect, test } from 'vitest';
import { migratedFile } from './migrated-file.ts';
import { makeDirectory, temporaryDirectory } from './temporary-directory.ts';

const directory = await makeDirectory();
afterAll(() => rm(directory, { recursive: true }));

describeContract(plantExportContract, sqliteHarness(join(directory, 'plants.db')));

test('a file that is missing is not made, and one that is not migrated says so', async () => {
  const path = join(await temporaryDirectory(), 'plants.sqlite');
  const read = () => firstOf(path);
  await expect(read()).rejects.toThrow(new StoreMisconfigured(`no such file: ${path}`));
  const store = await openSqlite({ path });
  await store.close();
  await expect(read()).rejects.toThrow(StoreUnavailable);
  await expect(read()).rejects.toThrow(/run the migrations/);
});

test('nothing stays open: the log goes with the last connection', async () => {
  const path = await migratedFile();
  expect(await firstOf(path)).toEqual({ done: true, value: undefined });
  expect(await readdir(join(path, '..'))).toEqual(['plants.sqlite']);
});

function firstOf(path: string): Promise<IteratorResult<unknown>> {
  return sqliteExport({ path }).readAll()[Symbol.asyncIterator]().next();
}
