import type { PlantStore } from '@plant-store/domain';
import { completeServerOptions } from '@plant-store/store-kit';
import { openSqlStore } from '@plant-store/store-kit/sql';
import { openDatabase } from './database.ts';
import type { PostgresOptions } from './options.ts';
import { statementsOn } from './statements.ts';
import { PlantTable } from './table.ts';

/** A row that a policy hides looks like a locked row. */
const SESSIONS_VIEW = 'pg_stat_activity, pg_prepared_xacts, and the policies of row security';

/**
 * Opens a store on a PostgreSQL database, 15 or newer, which any number of processes may share. Concurrent adds share a commit.
 * The database may be migrated (`migratePostgres`) before or after. Until it is, and in an outage, adds and checks throw
 * {@link StoreUnavailable}.
 *
 * @throws {StoreMisconfigured} if a retry cannot help, as with a wrong password or a table that cannot store every plant.
 * @throws {RangeError} if an option is out of its range.
 * @throws {Error} if the connection string cannot be used, with the reason.
 */
export async function openPostgres(options: PostgresOptions): Promise<PlantStore> {
  const completed = completeServerOptions(options);
  const table = new PlantTable();
  const database = openDatabase(completed, {
    check: async (session, withinMs) => void (await table.check(session, withinMs)),
  });
  return openSqlStore(database, statementsOn(database.db, table), completed, SESSIONS_VIEW);
}
