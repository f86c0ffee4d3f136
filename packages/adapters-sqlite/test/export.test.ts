import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqlite, sqliteExport } from '@plant-store/adapters-sqlite';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { migratedFile } from './migrated-file.ts';
import { temporaryDirectory } from './temporary-directory.ts';

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
