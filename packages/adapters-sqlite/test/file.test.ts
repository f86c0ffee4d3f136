import { open as openFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type SqliteOptions, sqliteStorage } from '@plant-store/adapters-sqlite';
import { StoreMisconfigured } from '@plant-store/domain';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteDatabase } from '../src/database.ts';
import { migratedFile, temporaryDirectory } from './temporary-files.ts';

const fern = { id: 1n, name: 'Fern' };

async function open(options: SqliteOptions) {
  const store = await sqliteStorage({ timeoutMs: 20_000, ...options }).open();
  onTestFinished(() => store.close());
  return store;
}

test('new files and a new directory are readable by their owner alone', async () => {
  const path = join(await temporaryDirectory(), 'data', 'plants.sqlite');
  await sqliteStorage({ path }).migrate();
  await (await open({ path })).plants.add(fern);
  const files = [dirname(path), path, `${path}-wal`, `${path}-shm`];
  const modes = await Promise.all(files.map(async (each) => ((await stat(each)).mode & 0o777).toString(8)));
  expect(modes).toEqual(['700', '600', '600', '600']);
});

test.each<[what: string, happen: (path: string) => Promise<unknown>, message: RegExp]>([
  [
    'is of another kind',
    (path) => writeFile(path, 'Fern, Moss, Ivy'.repeat(99)),
    /code 26\); the path leads to a file/,
  ],
  ['is damaged', damage, /code 11\); the file is damaged/],
  ['is a directory', (path) => rm(path).then(() => temporaryDirectory()), /code 14|EISDIR/],
])('P8/F11 opening a file that %s fails as a misconfiguration', async (what, happen, message) => {
  const path = await migratedFile();
  const replaced = await happen(path);
  const opening = open({ path: what === 'is a directory' ? String(replaced) : path });
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toThrow(StoreMisconfigured);
});

/** Overwrites the header of the schema table. */
async function damage(path: string): Promise<void> {
  await using file = await openFile(path, 'r+');
  await file.write(Buffer.alloc(100, 0xff), 0, 100, 100);
}

test('without a write-ahead log, as on some network file systems, a probe fails', async () => {
  const path = join(await temporaryDirectory(), 'plants.sqlite');
  new DatabaseSync(path).exec('CREATE TABLE plants (id INTEGER PRIMARY KEY)');
  // Only a store that writes turns the log on.
  const { checkSettings, db } = openSqliteDatabase(path, 'read');
  onTestFinished(() => db.destroy());
  await expect(checkSettings()).rejects.toThrow(/cannot keep a write-ahead log there \(journal mode delete\)/);
});

test.each<[what: string, happen: (path: string) => Promise<unknown>, message: RegExp]>([
  ['a file that is deleted', (path) => rm(path), /was moved, deleted or replaced/],
  ['a file that is replaced', async (path) => rename(await migratedFile(), path), /was moved, deleted or replaced/],
  ['a table that is swapped', swap, /the table plants lacks the plant/],
])('%s while it is in use soon gets no more plants', async (_, happen, message) => {
  const path = await migratedFile();
  const store = await open({ path });
  await store.plants.add(fern);
  await happen(path);
  let id = 100n;
  const addNext = () => store.plants.add({ ...fern, id: id++ }).then(({ outcome }) => outcome, String);
  await expect.poll(addNext, { timeout: 20_000 }).toMatch(message);
  await expect(store.check()).rejects.toThrow(message);
});

async function swap(path: string): Promise<void> {
  using database = new DatabaseSync(path);
  const [row] = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'plants'").all();
  database.exec(`BEGIN IMMEDIATE; ALTER TABLE plants RENAME TO former; ${row?.['sql']}; COMMIT`);
}
