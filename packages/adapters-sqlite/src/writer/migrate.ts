import type { MigrationState, Tables } from '@plant-store/sql-store';
import { migrationsIn } from '@plant-store/sql-store/migrations';
import { Kysely } from 'kysely';
import { type OpenOptions, openDatabase } from '../driver/database.ts';
import { nodeSqliteDialect } from '../driver/kysely.ts';
import { untilUnlocked } from '../driver/lock.ts';
import { translateError } from '../errors.ts';
import { MIGRATIONS } from './migration-status.ts';

const migrations = migrationsIn(MIGRATIONS);

/** What `migrateSqlite` promises of a file that lacks something, which it has found out. */
export async function migrate(options: OpenOptions): Promise<readonly MigrationState[]> {
  const file = await openDatabase(options);
  const { database } = file;
  try {
    // Kysely's own lock for SQLite holds within one process only; SQLite's write lock holds across all of them.
    await untilUnlocked(performance.now() + options.timeoutMs, async () => database.exec('BEGIN IMMEDIATE'));
    const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database) });
    await migrations.apply(db);
    database.exec('COMMIT');
    return await migrations.states(db);
  } catch (error) {
    throw translateError(error, file.path);
  } finally {
    // Closing rolls back what was not committed.
    database.close();
  }
}
