import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MigrationState } from '@plant-store/group-commit';
import { Kysely } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import { type OpenOptions, openDatabase } from '../driver/database.ts';
import { nodeSqliteDialect } from '../driver/dialect.ts';
import { untilUnlocked } from '../driver/lock.ts';
import { toStoreUnavailable } from '../errors.ts';

/** Every file of the folder, in the order of their names. A released one never changes: the next one fixes it. */
const migrations = new FileMigrationProvider({
  fs,
  path,
  migrationFolder: path.join(import.meta.dirname, '../migrations'),
});

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
    throw toStoreUnavailable(error, file.path);
  } finally {
    // Closing rolls back what was not committed.
    database.close();
  }
}

/** What `sqliteMigrationStatus` promises. */
export async function migrationStatus({ path: file, timeoutMs }: OpenOptions): Promise<readonly MigrationState[]> {
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
