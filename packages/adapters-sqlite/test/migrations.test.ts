import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrateSqlite, sqliteMigrationStatus } from '@plant-store/adapters-sqlite';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { migrationContract } from '@plant-store/contracts-stores';
import { adoptedTableMessage } from '@plant-store/store-kit';
import { expect, test, vi } from 'vitest';
import { migratedFile, temporaryDirectory } from './temporary-files.ts';

const at = (path: string) => ({
  migrate: () => migrateSqlite({ path }),
  status: () => sqliteMigrationStatus({ path }),
});

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
    return { ...at(path), tables, run };
  },
  unreachable: at(import.meta.dirname),
});

test('a table of plants that was restored alone is kept, with one warning', async () => {
  const path = await migratedFile();
  using database = new DatabaseSync(path);
  database.exec(`DROP TABLE plant_store_migration; INSERT INTO plants (id, name) VALUES (1, 'Fern')`);
  const onWarning = vi.fn<(message: string) => void>();
  for (let times = 0; times < 2; times += 1) await migrateSqlite({ path, onWarning });
  const warnings = onWarning.mock.calls.flat().filter((message) => message.endsWith(adoptedTableMessage('plants')));
  expect(warnings).toHaveLength(1);
  expect(database.prepare('SELECT name FROM plants').all()).toEqual([{ name: 'Fern' }]);
});

test('migrating again writes nothing, so it succeeds even if another connection holds the write lock', async () => {
  const path = await migratedFile();
  using other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  expect(await migrateSqlite({ path, timeoutMs: 100 })).not.toContainEqual(expect.objectContaining({ applied: false }));
});
