import { join } from 'node:path';
import type { Tables } from '@plant-store/sql-store';
import { migrationsIn, type ServerMigrations, serverMigrations } from '@plant-store/sql-store/migrations';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { openKysely } from './driver/database.ts';
import { storeUnavailable } from './errors.ts';
import { lockMigrations } from './migration-lock.ts';
import type { CompleteOptions } from './options.ts';

/** A released file of the folder never changes: the next one fixes it. */
const migrations = serverMigrations({
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

/**
 * Applies what the database does not have yet: all of it or, when something fails, nothing. As of every server:
 * {@link ServerMigrations.migrate}.
 */
export const migratePostgres: ServerMigrations['migrate'] = migrations.migrate;

/** Which migrations the database has: {@link ServerMigrations.status}. */
export const postgresMigrationStatus: ServerMigrations['status'] = migrations.status;

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
