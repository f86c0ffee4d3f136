import { stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { migrateSqlite, openSqlite } from '@plant-store/adapters-sqlite';
import { expect, onTestFinished, test } from 'vitest';
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

test('an empty path is rejected', async () => {
  const reason = 'path is empty; give the path of the SQLite file';
  await expect(openSqlite({ path: '' })).rejects.toThrow(new RangeError(reason));
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

test('a new file, its log and its index are for their owner alone, and so is a directory that is made', async () => {
  const path = join(await temporaryDirectory(), 'data', 'plants.sqlite');
  await migrateSqlite({ path });
  const store = await openSqlite({ path });
  onTestFinished(() => store.close());
  await store.plants.add({ id: 1n, name: 'Fern' });
  expect(await modeOf(dirname(path))).toBe('700');
  for (const suffix of ['', '-wal', '-shm']) expect(await modeOf(`${path}${suffix}`)).toBe('600');
});

async function modeOf(path: string): Promise<string> {
  const { mode } = await stat(path);
  return (mode & 0o777).toString(8);
}
