import fs from 'node:fs/promises';
import path from 'node:path';
import { withTimeout } from '@plant-store/group-commit';
import type { MigrationState } from '@plant-store/sql-store';
import type { Kysely } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import { openConnections } from './driver/connections.ts';
import { kyselyOn, type MigrationLock } from './driver/kysely.ts';
import { translateError } from './errors.ts';
import { migrationLock } from './migration-lock.ts';
import { type CompleteOptions, completeOptions, type MysqlOptions } from './options.ts';
import type { Schema } from './schema.ts';

/**
 * Every file of the folder, in the order of their names. A released one never changes: the next one fixes it. Here a
 * statement that changes a table commits on its own: each file must do when it is run again after a crash.
 */
const migrations = new FileMigrationProvider({
  fs,
  path,
  migrationFolder: path.join(import.meta.dirname, 'migrations'),
});

/**
 * Applies what the database does not have yet. Safe to run again, and from several processes at once: one of them
 * migrates, the others wait for it and find it done. Where nothing is missing, nothing is written, and a migration that
 * is newer than this program is left alone.
 *
 * Migrating itself has no time limit: a large table takes as long as it takes. Waiting for another process that migrates
 * has one, `migrationLockTimeoutMs`.
 *
 * @returns every migration, in order.
 * @throws {StoreUnavailable} when the database cannot be reached, or another session holds the migration lock for too
 * long.
 * @throws {RangeError} when an option is out of its range.
 */
export async function migrateMysql(options: MysqlOptions): Promise<readonly MigrationState[]> {
  const before = await mysqlMigrationStatus(options);
  if (before.every(({ applied }) => applied)) return before;

  const completed = { ...completeOptions(options), dropAfterMs: 0 };
  return using(completed, migrationLock(completed), async (db) => {
    const { error } = await migratorOn(db).migrateToLatest();
    const after = await statesOf(db);
    // Another node of a cluster, which has a lock of its own, may have done it.
    if (error && !after.every(({ applied }) => applied)) throw error;
    return after;
  });
}

/**
 * Which migrations the database has. Changes nothing.
 *
 * @returns every migration, in order.
 * @throws {StoreUnavailable} when the database cannot be reached.
 * @throws {RangeError} when an option is out of its range.
 */
export async function mysqlMigrationStatus(options: MysqlOptions): Promise<readonly MigrationState[]> {
  const completed = completeOptions(options);
  return using(completed, undefined, (db) => withTimeout(statesOf(db), completed.timeoutMs));
}

async function using<Result>(
  options: CompleteOptions,
  lock: MigrationLock | undefined,
  use: (db: Kysely<Schema>) => Promise<Result>,
): Promise<Result> {
  const db = kyselyOn(openConnections(options), lock);
  try {
    return await use(db);
  } catch (error) {
    throw translateError(error);
  } finally {
    await db.destroy();
  }
}

async function statesOf(db: Kysely<Schema>): Promise<readonly MigrationState[]> {
  const all = await migratorOn(db).getMigrations();
  return all.map(({ name, executedAt }) => ({ name, applied: executedAt !== undefined }));
}

function migratorOn(db: Kysely<Schema>): Migrator {
  return new Migrator({
    db,
    provider: migrations,
    // Not Kysely's default names: another application in the same database may use Kysely, too.
    migrationTableName: 'plant_store_migration',
    migrationLockTableName: 'plant_store_migration_lock',
  });
}
