import fs from 'node:fs/promises';
import path from 'node:path';
import { withTimeout } from '@plant-store/group-commit';
import type { MigrationState } from '@plant-store/sql-store';
import { type Kysely, sql, type Transaction } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import pg from 'pg';
import { openKysely } from './driver/database.ts';
import { storeUnavailable } from './errors.ts';
import { lockMigrations } from './migration-lock.ts';
import { type CompleteOptions, completeOptions, type PostgresOptions } from './options.ts';
import type { Schema } from './schema.ts';

/** Every file of the folder, in the order of their names. A released one never changes: the next one fixes it. */
const migrations = new FileMigrationProvider({
  fs,
  path,
  migrationFolder: path.join(import.meta.dirname, 'migrations'),
});

/**
 * Applies what the database does not have yet: all of it or, when something fails, nothing. Safe to run again, and from
 * several processes at once: one of them migrates, the others wait for it and find it done. Where nothing is missing,
 * nothing is written, and a migration that is newer than this program is left alone.
 *
 * Migrating itself has no time limit: a large table takes as long as it takes. Waiting for another process that migrates
 * has one, `migrationLockTimeoutMs`.
 *
 * @returns every migration, in order.
 * @throws {StoreUnavailable} when the database cannot be reached, or another session holds the migration lock for too
 * long.
 * @throws {RangeError} when an option is out of its range.
 */
export async function migratePostgres(options: PostgresOptions): Promise<readonly MigrationState[]> {
  const before = await postgresMigrationStatus(options);
  if (before.every(({ applied }) => applied)) return before;

  const completed = completeOptions(options);
  // 0 is no limit.
  return using({ ...completed, dropAfterMs: 0 }, async (db) => {
    await db
      .transaction()
      .setIsolationLevel('read committed')
      .execute((transaction) => migrate(transaction, completed));
    return statesOf(db);
  });
}

/**
 * Which migrations the database has. Changes nothing.
 *
 * @returns every migration, in order.
 * @throws {StoreUnavailable} when the database cannot be reached.
 * @throws {RangeError} when an option is out of its range.
 */
export async function postgresMigrationStatus(options: PostgresOptions): Promise<readonly MigrationState[]> {
  const completed = completeOptions(options);
  return using(completed, (db) => withTimeout(statesOf(db), completed.timeoutMs));
}

async function using<Result>(options: CompleteOptions, use: (db: Kysely<Schema>) => Promise<Result>): Promise<Result> {
  // After a failure Kysely runs another statement in the same transaction, and would throw the failure of that one.
  let first: unknown;
  const db = openKysely(options, (event) => {
    if (event.level === 'error') first ??= event.error;
  });
  try {
    return await use(db);
  } catch (error) {
    const cause = first ?? error;
    throw cause instanceof pg.DatabaseError ? storeUnavailable(cause) : cause;
  } finally {
    await db.destroy();
  }
}

async function migrate(transaction: Transaction<Schema>, options: CompleteOptions): Promise<void> {
  await lockMigrations(transaction, options);
  const { error } = await (await migratorOn(transaction)).migrateToLatest();
  if (error) throw error;
}

async function statesOf(db: Kysely<Schema>): Promise<readonly MigrationState[]> {
  const all = await (await migratorOn(db)).getMigrations();
  return all.map(({ name, executedAt }) => ({ name, applied: executedAt !== undefined }));
}

async function migratorOn(db: Kysely<Schema>): Promise<Migrator> {
  const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db);
  const schema = rows[0]?.schema;
  return new Migrator({
    db,
    provider: migrations,
    // Not Kysely's default names: another application in the same schema may use Kysely, too.
    migrationTableName: 'plant_store_migration',
    migrationLockTableName: 'plant_store_migration_lock',
    // Otherwise Kysely takes those of another schema of the database for ours.
    ...(schema && { migrationTableSchema: schema }),
  });
}
