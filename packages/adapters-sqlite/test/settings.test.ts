import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqlite } from '@plant-store/adapters-sqlite';
import { expect, test } from 'vitest';
import { openDatabase } from '../src/driver/database.ts';
import { completeOptions } from '../src/options.ts';
import { migratedFile } from './migrated-file.ts';
import { temporaryDirectory } from './temporary-directory.ts';

test.each([
  ['journal_mode', 'wal'],
  ['synchronous', 2n],
  ['fullfsync', 1n],
  ['busy_timeout', 0n],
])('PRAGMA %s is %s', async (pragma, value) => {
  const { database } = await openDatabase(completeOptions({ path: join(await temporaryDirectory(), 'plants.sqlite') }));
  expect(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})).toEqual([value]);
  database.close();
});

test.each([
  [{ path: '' }, 'path is empty; give the path of the SQLite file'],
  [{ path: 'plants.sqlite', timeoutMs: 0 }, 'timeoutMs is 0; expected a whole number from 1 to 2147483647'],
  [{ path: 'plants.sqlite', timeoutMs: Number.NaN }, 'timeoutMs is NaN; expected a whole number from 1 to 2147483647'],
])('%o is rejected', async (options, message) => {
  await expect(openSqlite(options)).rejects.toThrow(new RangeError(message));
});

test('a symbolic link is resolved: the file is used in its own directory', async () => {
  const path = await migratedFile();
  const link = join(await temporaryDirectory(), 'link.sqlite');
  await symlink(path, link);
  const [store, through] = [await openSqlite({ path }), await openSqlite({ path: link })];
  await store.plants.add({ id: 1n, name: 'Fern' });
  expect(await through.plants.add({ id: 1n, name: 'Moss' })).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
  await Promise.all([store.close(), through.close()]);
});
