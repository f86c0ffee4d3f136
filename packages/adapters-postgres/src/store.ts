import type { PlantStore } from '@plant-store/domain';
import { completeServerOptions } from '@plant-store/store-kit';
import { openSqlStore } from '@plant-store/store-kit/sql';
import { openDatabase } from './database.ts';
import type { PostgresOptions } from './options.ts';
import { statementsOn } from './statements.ts';
import { PlantTable } from './table.ts';

/** A policy that hides a row looks like a lock. */
const SEE = 'pg_stat_activity, and the policies of row security';

/**
 * Opens a store that keeps plants in a PostgreSQL database, 15 or newer, which any number of processes may share. Adds
 * that wait at the same time are stored with one commit. The database has to be migrated (`migratePostgres`), before or after:
 * until it is, and in an outage, adds and checks throw {@link StoreUnavailable}.
 *
 * @throws {StoreMisconfigured} when waiting does not help, as with a wrong password or a table that cannot keep every plant.
 * @throws {RangeError} when an option is out of its range.
 * @throws {Error} when the connection string cannot be used, with what is wrong with it.
 */
export async function openPostgres(options: PostgresOptions): Promise<PlantStore> {
  const completed = completeServerOptions(options);
  const table = new PlantTable();
  const database = openDatabase(completed, {
    prepare: async (session) => void (await table.check(session, completed.connectWithinMs)),
  });
  return openSqlStore(database, statementsOn(database, table, completed), completed, SEE);
}
