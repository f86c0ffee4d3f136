import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { StoreMisconfigured } from '@plant-store/domain';
import {
  type Database,
  foreignTableMessage,
  MIGRATION_TABLE,
  type MigrationStatus,
  migrationFiles,
} from '@plant-store/store-kit';
import { openDatabase, openForReading, retryWhileLocked } from './database.ts';
import { tableFaults } from './table.ts';

/** Implements `sqliteMigrationStatus` in the writer's process. */
export async function migrationStatus(file: string, timeoutMs: number): Promise<MigrationStatus> {
  if (!existsSync(file)) return [...files.keys()].map((name) => ({ name, applied: false }));
  using database = (await openForReading(file, timeoutMs)).database;
  return statusIn(database);
}

/** Implements `migrateSqlite` in the writer's process. @returns also whether the table of plants existed before. */
export async function migrate(file: string, timeoutMs: number) {
  using database = (await openDatabase(file, timeoutMs)).database;
  const apply = await migratorOn(database);
  // Closing the connection rolls back.
  await retryWhileLocked(timeoutMs, () => database.exec('BEGIN IMMEDIATE'));
  const before = statusIn(database);
  const faults = before.some(({ applied }) => applied) ? undefined : tableFaults(database);
  if (faults && faults.length > 0) throw new StoreMisconfigured(`${file}: ${foreignTableMessage('plants', faults)}`);
  await apply(before);
  database.exec('COMMIT');
  return { migrations: statusIn(database), isAdopted: faults !== undefined };
}

/** Does without Kysely, because loading it takes most of the CPU of a start. */
function statusIn(database: DatabaseSync): MigrationStatus {
  const table = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(MIGRATION_TABLE);
  const rows = table ? database.prepare(`SELECT name FROM ${MIGRATION_TABLE}`).all() : [];
  return [...files.keys()].map((name) => ({ name, applied: rows.some((row) => row['name'] === name) }));
}

async function migratorOn(database: DatabaseSync) {
  const [{ Kysely, SqliteDialect }, { applyMigrations }] = await Promise.all([
    import('kysely'),
    import('@plant-store/store-kit/sql'),
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
  const db = new Kysely<Database>({ dialect: new SqliteDialect({ database: { prepare, close() {} } }) });
  return (status: MigrationStatus) => applyMigrations(db, files, status);
}

/** A released file never changes. */
const files = migrationFiles(join(import.meta.dirname, 'migrations'));
