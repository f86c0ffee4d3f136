import { existsSync, readdirSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { StoreMisconfigured } from '@plant-store/domain';
import { foreignTableMessage, isMigrated, MIGRATION_TABLE, type MigrationStatus } from '@plant-store/store-kit';
import { openDatabase, openForReading, retryWhileLocked } from './database.ts';
import { tableFaults } from './table.ts';

/** Implements `sqliteMigrationStatus` in the writer's process. */
export async function migrationStatus(file: string, timeoutMs: number): Promise<MigrationStatus> {
  if (!existsSync(file)) return names.map((name) => ({ name, applied: false }));
  using database = (await openForReading(file, timeoutMs)).database;
  return statusIn(database);
}

/** Implements `migrateSqlite` in the writer's process. @returns also whether the table of plants existed before. */
export async function migrate(file: string, timeoutMs: number) {
  using database = (await openDatabase(file, timeoutMs)).database;
  const migrator = await migratorOn(database);
  // Kysely neither locks SQLite nor begins a transaction. Closing the connection rolls back.
  await retryWhileLocked(timeoutMs, () => database.exec('BEGIN IMMEDIATE'));
  const before = statusIn(database);
  const faults = before.some(({ applied }) => applied) ? undefined : tableFaults(database);
  if (faults && faults.length > 0) throw new StoreMisconfigured(`${file}: ${foreignTableMessage('plants', faults)}`);
  // Another process may have migrated. Kysely rejects migrations that are newer than this program.
  if (!isMigrated(before)) {
    const { error } = await migrator.migrateToLatest();
    if (error) throw error;
  }
  database.exec('COMMIT');
  return { migrations: statusIn(database), isAdopted: faults !== undefined };
}

/** Does without Kysely, because loading it takes most of the CPU of a start. */
function statusIn(database: DatabaseSync): MigrationStatus {
  const table = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(MIGRATION_TABLE);
  const rows = table ? database.prepare(`SELECT name FROM ${MIGRATION_TABLE}`).all() : [];
  return names.map((name) => ({ name, applied: rows.some((row) => row['name'] === name) }));
}

async function migratorOn(database: DatabaseSync) {
  const [{ Kysely, SqliteDialect }, { FileMigrationProvider, Migrator }] = await Promise.all([
    import('kysely'),
    import('kysely/migration'),
  ]);
  // Kysely's dialect is for better-sqlite3, whose statements take the parameters as an array.
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    return {
      reader: statement.columns().length > 0,
      all: (given: readonly unknown[]) => statement.all(...(given as SQLInputValue[])),
      run: (given: readonly unknown[]) => statement.run(...(given as SQLInputValue[])),
      iterate: (given: readonly unknown[]) => statement.iterate(...(given as SQLInputValue[])),
    };
  };
  return new Migrator({
    db: new Kysely({ dialect: new SqliteDialect({ database: { prepare, close() {} } }) }),
    provider: new FileMigrationProvider({ fs, path, migrationFolder: FOLDER }),
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: `${MIGRATION_TABLE}_lock`,
  });
}

/** The folder whose files are the migrations, in the order of their names. A released file never changes. */
const FOLDER = path.join(import.meta.dirname, 'migrations');

/** Excludes the declarations beside built files. */
const names = readdirSync(FOLDER)
  .filter((file) => /(?<!\.d)\.[jt]s$/.test(file))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort();
