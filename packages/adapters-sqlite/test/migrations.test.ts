import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrateSqlite, sqliteMigrationStatus } from '@plant-store/adapters-sqlite';
import { optionalTextFields, StoreUnavailable, textFields } from '@plant-store/domain';
import { expect, test, vi } from 'vitest';
import { migratedFile } from './migrated-file.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const names = readdirSync(join(import.meta.dirname, '../src/migrations')).map((file) => basename(file, '.ts'));
const none = names.map((name) => ({ name, applied: false }));
const all = names.map((name) => ({ name, applied: true }));

async function newPath(): Promise<string> {
  return join(await temporaryDirectory(), 'plants.sqlite');
}

test('the status of a missing file: nothing is applied, and nothing is created', async () => {
  const directory = await temporaryDirectory();
  expect(await sqliteMigrationStatus({ path: join(directory, 'plants.sqlite') })).toEqual(none);
  expect(await readdir(directory)).toEqual([]);
});

test('migrating applies everything; its status can then be read, and leaves no file behind', async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'plants.sqlite');
  expect(await migrateSqlite({ path })).toEqual(all);
  expect(await sqliteMigrationStatus({ path })).toEqual(all);
  expect(await readdir(directory)).toEqual(['plants.sqlite']);
});

test('migrating again writes nothing: it succeeds even while another connection holds the write lock', async () => {
  const path = await migratedFile();
  using other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  expect(await migrateSqlite({ path, timeoutMs: 100 })).toEqual(all);
});

test('migrating waits for the write lock of another connection, and says so after a second', async () => {
  const path = await newPath();
  using other = new DatabaseSync(path);
  other.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE');
  const onWarning = vi.fn<(message: string) => void>();
  const migrating = migrateSqlite({ path, timeoutMs: 10_000, onWarning });
  await Promise.race([migrating, vi.waitFor(() => expect(onWarning).toHaveBeenCalled(), { timeout: 10_000 })]);
  expect(onWarning.mock.calls).toEqual([[`${path}: still being migrated after 1000 ms`]]);
  other.close();
  expect(await migrating).toEqual(all);
});

test('what migrating notes is in tables of its own: another application may use the file, and Kysely', async () => {
  using database = new DatabaseSync(await migratedFile());
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all();
  expect(tables.map(({ name }) => name)).toEqual(['plant_store_migration', 'plant_store_migration_lock', 'plants']);
});

test('a file that a newer version has migrated further is left unchanged', async () => {
  const path = await migratedFile();
  using database = new DatabaseSync(path);
  database.exec(`INSERT INTO plant_store_migration VALUES ('9999-from-the-future', '2999-01-01T00:00:00.000Z')`);
  expect(await migrateSqlite({ path })).toEqual(all);
});

test('the table has the columns that the store needs', async () => {
  using database = new DatabaseSync(await migratedFile());
  const columns = database.prepare(`SELECT name, type, "notnull", pk FROM pragma_table_info('plants')`).all();
  expect(columns.map((column) => Object.values(column).join(' '))).toEqual([
    'id INTEGER 0 1',
    ...textFields.map((field) => `${field} TEXT ${optionalTextFields.includes(field) ? 0 : 1} 0`),
  ]);
  const { strict } = database.prepare(`SELECT strict FROM pragma_table_list('plants')`).get() ?? {};
  expect(strict).toBe(1);
});

test('a migration that fails leaves nothing behind', async () => {
  const path = await newPath();
  using database = new DatabaseSync(path);
  database.exec('CREATE TABLE plants (of_another_application)');
  await expect(migrateSqlite({ path })).rejects.toThrow('table "plants" already exists');
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  expect(tables.map(({ name }) => name)).toEqual(['plants']);
  expect(await sqliteMigrationStatus({ path })).toEqual(none);
});

test('the status of a file that is not a database throws StoreUnavailable', async () => {
  await expect(sqliteMigrationStatus({ path: await temporaryDirectory() })).rejects.toThrow(StoreUnavailable);
});
