import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrateSqlite, sqliteMigrationStatus } from '@plant-store/adapters-sqlite';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { migrationContract } from '@plant-store/contracts-stores';
import { optionalTextFields, textFields } from '@plant-store/domain';
import { expect, test, vi } from 'vitest';
import { migratedFile } from './migrated-file.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const at = (path: string) => ({
  migrate: () => migrateSqlite({ path }),
  status: () => sqliteMigrationStatus({ path }),
});

describeContract(migrationContract, {
  async prepare() {
    const path = await newPath();
    const run = async (statement: string) => {
      using database = new DatabaseSync(path);
      return database.prepare(statement).all();
    };
    const tables = async () => {
      // A status makes no file.
      if (!existsSync(path)) return [];
      using database = new DatabaseSync(path);
      return tablesOf(database);
    };
    return { ...at(path), tables, run };
  },
  unreachable: at(import.meta.dirname),
});

test('the status of a missing file makes none, and that of another one leaves none beside it', async () => {
  const path = await newPath();
  const files = () => readdir(dirname(path));
  await sqliteMigrationStatus({ path });
  expect(await files()).toEqual([]);
  await migrateSqlite({ path });
  await sqliteMigrationStatus({ path });
  expect(await files()).toEqual(['plants.sqlite']);
});

test('migrating again writes nothing: it succeeds even while another connection holds the write lock', async () => {
  const path = await migratedFile();
  using other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  expect(await migrateSqlite({ path, timeoutMs: 100 })).not.toContainEqual(expect.objectContaining({ applied: false }));
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
  expect(await migrating).not.toContainEqual(expect.objectContaining({ applied: false }));
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

async function newPath(): Promise<string> {
  return join(await temporaryDirectory(), 'plants.sqlite');
}

function tablesOf(database: DatabaseSync): readonly string[] {
  const rows = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all();
  return rows.map(({ name }) => String(name));
}
