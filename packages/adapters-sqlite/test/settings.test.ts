import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { migrateSqlite, openSqlite } from '@plant-store/adapters-sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { migratedFile, temporaryDirectory } from './temporary-files.ts';

test('the settings make commits durable, and locks do not block the process', async () => {
  using database = (await openDatabase(await migratedFile(), 1_000)).database;
  const settings = ['journal_mode', 'synchronous', 'fullfsync', 'busy_timeout'].map((name) =>
    Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {}).join(),
  );
  expect(settings).toEqual(['wal', '2', '1', '0']);
});

test('an empty path is rejected', async () => {
  const reason = 'path is empty; give the path of the SQLite file';
  await expect(openSqlite({ path: '' })).rejects.toThrow(new RangeError(reason));
});

test('new files and a new directory are readable by their owner alone', async () => {
  const file = join(await temporaryDirectory(), 'data', 'plants.sqlite');
  await migrateSqlite({ path: file });
  const store = await openSqlite({ path: file });
  onTestFinished(() => store.close());
  await store.plants.add({ id: 1n, name: 'Fern' });
  const files = [dirname(file), file, `${file}-wal`, `${file}-shm`];
  const modes = await Promise.all(files.map(async (each) => ((await stat(each)).mode & 0o777).toString(8)));
  expect(modes).toEqual(['700', '600', '600', '600']);
});
