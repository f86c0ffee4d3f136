import { join } from 'node:path';
import type { MigrationState, Tables } from '@plant-store/sql-store';
import { migrationsIn, serverMigrations } from '@plant-store/sql-store/migrations';
import type { Kysely } from 'kysely';
import { openConnections } from './driver/connections.ts';
import { kyselyOn } from './driver/kysely.ts';
import { translateError } from './errors.ts';
import { underMigrationLock } from './migration-lock.ts';
import { type CompleteOptions, completeOptions, type MysqlOptions } from './options.ts';

/**
 * Applies what the database does not have yet. As of every server: {@link ServerMigrations.migrate}.
 *
 * @throws {RangeError} when an option is out of its range.
 */
export async function migrateMysql(options: MysqlOptions): Promise<readonly MigrationState[]> {
  return migrations.migrate(completeOptions(options));
}

/** Which migrations the database has: {@link ServerMigrations.status}. @throws {RangeError} as above. */
export async function mysqlMigrationStatus(options: MysqlOptions): Promise<readonly MigrationState[]> {
  return migrations.status(completeOptions(options));
}

/**
 * A released file of the folder never changes: the next one fixes it. Here a statement that changes a table commits on its
 * own: each file must do when it is run again after a crash.
 */
const migrations = serverMigrations<CompleteOptions, Tables>({
  migrations: migrationsIn(join(import.meta.dirname, 'migrations')),
  use,
  applyAlone: underMigrationLock,
});

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
