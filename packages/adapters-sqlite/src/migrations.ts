import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MigrationState } from '@plant-store/group-commit';
import { Kysely } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import { openDatabase } from './driver/database.ts';
import { nodeSqliteDialect } from './driver/dialect.ts';
import { untilUnlocked } from './driver/lock.ts';
import { toStoreUnavailable } from './errors.ts';
import { completeOptions, type SqliteOptions } from './options.ts';

/** Every file of the folder, in the order of their names. A released one never changes: the next one fixes it. */
const migrations = new FileMigrationProvider({
  fs,
  path,
  migrationFolder: path.join(import.meta.dirname, 'migrations'),
});

/**
 * Applies what the file does not have yet: all of it or, when something fails, nothing. Safe to run again, and from
 * several processes at once: one of them migrates, the others wait for it and find it done. Where nothing is missing,
 * nothing is written, and a migration that is newer than this program is left alone.
 *
 * @returns every migration, in order.
 * @throws {StoreUnavailable} when the file cannot be opened, or stays locked for `timeoutMs`.
 * @throws {RangeError} when an option is out of its range.
 */
export async function migrateSqlite(options: SqliteOptions): Promise<readonly MigrationState[]> {
  const before = await sqliteMigrationStatus(options);
  if (before.every(({ applied }) => applied)) return before;

  const completed = completeOptions(options);
  const file = await openDatabase(completed);
  const { database } = file;
  try {
    // Kysely's own lock for SQLite holds within one process only; SQLite's write lock holds across all of them.
    await untilUnlocked(performance.now() + completed.timeoutMs, async () => database.exec('BEGIN IMMEDIATE'));
    const { error } = await migratorOn(database).migrateToLatest();
    if (error) throw error;
    database.exec('COMMIT');
    return await statesOf(database);
  } catch (error) {
    throw toStoreUnavailable(error, file.path);
  } finally {
    // Closing rolls back what was not committed.
    database.close();
  }
}

/**
 * Which migrations the file has; none where there is no file. Changes nothing.
 *
 * @returns every migration, in order.
 * @throws {StoreUnavailable} when the file cannot be opened, or stays locked for `timeoutMs`.
 * @throws {RangeError} when an option is out of its range.
 */
export async function sqliteMigrationStatus(options: SqliteOptions): Promise<readonly MigrationState[]> {
  const { path: file, timeoutMs } = completeOptions(options);
  if (!existsSync(file)) {
    const names = Object.keys(await migrations.getMigrations()).toSorted();
    return names.map((name) => ({ name, applied: false }));
  }
  try {
    return await untilUnlocked(performance.now() + timeoutMs, async () => {
      // Not read-only: such a connection cannot remove the log that it needs while it is open.
      using database = new DatabaseSync(file);
      return await statesOf(database);
    });
  } catch (error) {
    throw toStoreUnavailable(error, file);
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
    // Not Kysely's default names, which another application in the same file may use: the same as in PostgreSQL.
    migrationTableName: 'plant_store_migration',
    migrationLockTableName: 'plant_store_migration_lock',
  });
}
