import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrateSqlite, sqliteMigrationStatus } from '@plant-store/adapters-sqlite';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { migrationContract } from '@plant-store/contracts-stores';
import { StoreMisconfigured } from '@plant-store/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { migrate } from '../src/migrator.ts';
import { start } from './processes/start.ts';
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
      // A status makes no file.
      const rows = existsSync(path) ? await run(`SELECT name FROM sqlite_schema WHERE type = 'table'`) : [];
      return rows.map(({ name }) => String(name));
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

test('a table of plants that was restored alone is kept, and that is said once', async () => {
  const path = await migratedFile();
  using database = new DatabaseSync(path);
  database.exec(`DROP TABLE plant_store_migration; INSERT INTO plants VALUES (1, 'Fern', NULL)`);
  const onWarning = vi.fn<(message: string) => void>();
  for (let times = 0; times < 2; times += 1)
    expect(await migrateSqlite({ path, onWarning })).toEqual([{ name: '0001-create-plants', applied: true }]);
  expect(onWarning.mock.calls).toEqual([
    [expect.stringMatching(/sqlite: the table plants was there .* plants are kept/)],
  ]);
  expect(database.prepare('SELECT name FROM plants').all()).toEqual([{ name: 'Fern' }]);
});

test('a table plants of another application is refused, with what it lacks', async () => {
  const path = await newPath();
  using database = new DatabaseSync(path);
  database.exec('CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT)');
  const migrating = migrateSqlite({ path });
  await expect(migrating).rejects.toThrow(/sqlite: there is plants, .*: the column tag is missing\. Give/);
  await expect(migrating).rejects.toThrow(StoreMisconfigured);
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
  expect(onWarning.mock.calls).toEqual([[expect.stringContaining('another process may keep the file locked')]]);
  other.close();
  expect(await migrating).not.toContainEqual(expect.objectContaining({ applied: false }));
});

test('a file that a newer program has migrated, while this one waited for the lock, is left alone', async () => {
  const path = await migratedFile();
  using database = new DatabaseSync(path);
  database.exec(`INSERT INTO plant_store_migration VALUES ('9999-of-the-future', '2999-01-01')`);
  const migrations = [{ name: '0001-create-plants', applied: true }];
  expect(await migrate(path, 1_000)).toEqual({ migrations, isAdopted: false });
});

test('a file that a former release has migrated is migrated', async () => {
  const path = await newPath();
  using database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE plant_store_migration (name TEXT NOT NULL PRIMARY KEY, timestamp TEXT NOT NULL);
    INSERT INTO plant_store_migration VALUES ('0001-create-plants', '2026-11-26T23:38:00.000Z')`);
  expect(await sqliteMigrationStatus({ path })).toEqual([{ name: '0001-create-plants', applied: true }]);
});

test('Kysely, whose loading takes more CPU than a start, is loaded by a migration alone', async () => {
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) { if (/^kysely/.test(name)) throw Error('no Kysely'); return next(name, context); } })`;
  vi.stubEnv('NODE_OPTIONS', `--import=data:text/javascript,${encodeURIComponent(hook)}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const child = await start('open.ts', await migratedFile());
  child.kill('SIGKILL');
  await expect(migrateSqlite({ path: await newPath() })).rejects.toThrow('no Kysely');
});

test('the table keeps to its types', async () => {
  using database = new DatabaseSync(await migratedFile());
  const { sql } = database.prepare(`SELECT sql FROM sqlite_schema WHERE name = 'plants'`).get() ?? {};
  expect(sql).toBe('CREATE TABLE "plants" ("id" integer primary key, "name" text not null, "tag" text) strict');
});
