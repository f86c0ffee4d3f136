import type { PlantStore } from '@plant-store/domain';
import { completeServerOptions, openPlantStore } from '@plant-store/store-kit';
import { sqlEngine } from '@plant-store/store-kit/sql';
import { checkSession, openDatabase } from './database.ts';
import type { PostgresOptions } from './options.ts';
import { statementsOn } from './statements.ts';

/**
 * Opens a store that keeps plants in a PostgreSQL database, 15 or newer, which any number of processes may share. Adds
 * that wait at the same time are stored with one commit. It connects when it is first used. The database has to be migrated
 * (`migratePostgres`), before or after: until it is, adds and checks throw {@link StoreUnavailable}.
 *
 * @throws {RangeError} when an option is out of its range.
 * @throws {Error} when the connection string cannot be used, with what is wrong with it.
 */
export async function openPostgres(options: PostgresOptions): Promise<PlantStore> {
  const completed = completeServerOptions(options);
  const database = openDatabase(completed, {
    prepare: async (session) => void (await checkSession(session, completed.connectWithinMs)),
  });
  const engine = sqlEngine(database.db, statementsOn(database, completed));
  return openPlantStore(engine, { ...completed, sessionsView: 'pg_stat_activity' });
}
