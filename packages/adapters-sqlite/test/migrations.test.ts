import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteStorage } from '@plant-store/adapters-sqlite';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { migrationContract } from '@plant-store/contracts-stores';
import { expect, test } from 'vitest';
import { migratedFile, temporaryDirectory } from './temporary-files.ts';

const newPath = async () => join(await temporaryDirectory(), 'plants.sqlite');

describeContract(migrationContract, {
  async prepare() {
    const path = await newPath();
    const run = async (statement: string) => {
      using database = new DatabaseSync(path);
      return database.prepare(statement).all();
    };
    const tables = async () => {
      // Reading the status does not create the file.
      const rows = existsSync(path) ? await run(`SELECT name FROM sqlite_schema WHERE type = 'table'`) : [];
      return rows.map(({ name }) => String(name));
    };
    return { ...sqliteStorage({ path }), tables, run };
  },
  unreachable: sqliteStorage({ path: import.meta.dirname }),
});

test('migrating again writes nothing, so it succeeds even if another connection holds the write lock', async () => {
  const path = await migratedFile();
  using other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const migrated = await sqliteStorage({ path, timeoutMs: 100 }).migrate();
  expect(migrated).not.toContainEqual(expect.objectContaining({ applied: false }));
});

test('an export of a missing file says that it is not migrated, and does not create it', async () => {
  const path = await newPath();
  const reading = sqliteStorage({ path }).export().readAll()[Symbol.asyncIterator]();
  await expect(reading.next()).rejects.toThrow(/run the migrations/);
  expect(existsSync(path)).toBe(false);
});
