import fs from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { MigrationState } from '@plant-store/sql-store';
import { Kysely } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import { type OpenOptions, openDatabase } from '../driver/database.ts';
import { nodeSqliteDialect } from '../driver/dialect.ts';
import { untilUnlocked } from '../driver/lock.ts';
import { translateError } from '../errors.ts';
import { MIGRATION_TABLE, MIGRATIONS } from './migration-status.ts';

const migrations = new FileMigrationProvider({ fs, path, migrationFolder: MIGRATIONS });

/** What `migrateSqlite` promises of a file that lacks something, which it has found out. */
export async function migrate(options: OpenOptions): Promise<readonly MigrationState[]> {
  const file = await openDatabase(options);
  const { database } = file;
  try {
    // Kysely's own lock for SQLite holds within one process only; SQLite's write lock holds across all of them.
    await untilUnlocked(performance.now() + options.timeoutMs, async () => database.exec('BEGIN IMMEDIATE'));
    const { error } = await migratorOn(database).migrateToLatest();
    if (error) throw error;
    database.exec('COMMIT');
    return await statesOf(database);
  } catch (error) {
    throw translateError(error, file.path);
  } finally {
    // Closing rolls back what was not committed.
    database.close();
  }
}

async function statesOf(database: DatabaseSync): Promise<readonly MigrationState[]> {
  const all = await migratorOn(database).getMigrations();
  return all.map(({ name, executedAt }) => ({ name, applied: executedAt !== undefined }));
}

function migratorOn(database: DatabaseSync): Migrator {
  return new Migrator({
    db: new Kysely<unknown>({ dialect: nodeSqliteDialect(database) }),
    provider: migrations,
    // The same names as in PostgreSQL.
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: `${MIGRATION_TABLE}_lock`,
  });
}
