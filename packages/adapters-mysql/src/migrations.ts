import { join } from 'node:path';
import type { Tables } from '@plant-store/sql-store';
import { migrationsIn, type ServerMigrations, serverMigrations } from '@plant-store/sql-store/migrations';
import type { Kysely } from 'kysely';
import { openConnections } from './driver/connections.ts';
import { kyselyOn } from './driver/kysely.ts';
import { translateError } from './errors.ts';
import { underMigrationLock } from './migration-lock.ts';
import type { CompleteOptions } from './options.ts';

/**
 * A released file of the folder never changes: the next one fixes it. Here a statement that changes a table commits on its
 * own: each file must do when it is run again after a crash.
 */
const migrations = serverMigrations({
  migrations: migrationsIn(join(import.meta.dirname, 'migrations')),
  use,
  applyAlone: underMigrationLock,
});

/** Applies what the database does not have yet. As of every server: {@link ServerMigrations.migrate}. */
export const migrateMysql: ServerMigrations['migrate'] = migrations.migrate;

/** Which migrations the database has: {@link ServerMigrations.status}. */
export const mysqlMigrationStatus: ServerMigrations['status'] = migrations.status;

async function use<Result>(options: CompleteOptions, work: (db: Kysely<Tables>) => Promise<Result>): Promise<Result> {
  const db = kyselyOn(openConnections(options));
  try {
    return await work(db);
  } catch (error) {
    throw translateError(error);
  } finally {
    await db.destroy();
  }
}
