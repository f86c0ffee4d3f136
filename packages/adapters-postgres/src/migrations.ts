import { join } from 'node:path';
import type { MigrationState, Tables } from '@plant-store/sql-store';
import { migrationsIn, serverMigrations } from '@plant-store/sql-store/migrations';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { openKysely } from './driver/database.ts';
import { storeUnavailable } from './errors.ts';
import { lockMigrations } from './migration-lock.ts';
import { type CompleteOptions, completeOptions, type PostgresOptions } from './options.ts';

/**
 * Applies what the database does not have yet: all of it or, when something fails, nothing. As of every server:
 * {@link ServerMigrations.migrate}.
 *
 * @throws {RangeError} when an option is out of its range.
 */
export async function migratePostgres(options: PostgresOptions): Promise<readonly MigrationState[]> {
  return migrations.migrate(completeOptions(options));
}

/** Which migrations the database has: {@link ServerMigrations.status}. @throws {RangeError} as above. */
export async function postgresMigrationStatus(options: PostgresOptions): Promise<readonly MigrationState[]> {
  return migrations.status(completeOptions(options));
}

/** A released file of the folder never changes: the next one fixes it. */
const migrations = serverMigrations<CompleteOptions, Tables>({
  migrations: migrationsIn(join(import.meta.dirname, 'migrations'), async (db) => {
    const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db);
    return rows[0]?.schema ?? null;
  }),
  use,
  applyAlone: (db, options, apply) =>
    db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (transaction) => {
        await lockMigrations(transaction, options);
        await apply(transaction);
      }),
});

async function use<Result>(options: CompleteOptions, work: (db: Kysely<Tables>) => Promise<Result>): Promise<Result> {
  // After a failure Kysely runs another statement in the same transaction, and would throw the failure of that one.
  let first: unknown;
  const db = openKysely(options, (event) => {
    if (event.level === 'error') first ??= event.error;
  });
  try {
    return await work(db);
  } catch (error) {
    const cause = first ?? error;
    throw cause instanceof pg.DatabaseError ? storeUnavailable(cause) : cause;
  } finally {
    await db.destroy();
  }
}
