import { openDatabase, PlantTable } from '@plant-store/adapters-postgres/driver';
import type { PlantStore } from '@plant-store/domain';
import { completeServerOptions } from '@plant-store/store-kit';
import { openSqlStore } from '@plant-store/store-kit/sql';
import { postgresOptions } from './connection-string.ts';
import type { CitusOptions } from './options.ts';
import { checkCluster, statementsOn } from './statements.ts';

/**
 * Opens a store on a Citus cluster through its coordinator. If the table is not distributed, or the database has no Citus, it works
 * as on PostgreSQL. A batch is one commit, in two phases if it affects several nodes. If one of them cannot commit, none of the
 * batch is stored. Its other promises are those of `openPostgres`.
 *
 * @throws {RangeError} if an option is out of its range.
 * @throws {Error} if the connection string cannot be used, with the reason.
 */
export async function openCitus(options: CitusOptions): Promise<PlantStore> {
  const completed = completeServerOptions(postgresOptions(options));
  const table = new PlantTable();
  const database = openDatabase(completed, {
    // Citus plans each execution, and the text of an insert depends on its number of rows.
    preparesStatements: false,
    check: async (session, withinMs) => void (await checkCluster(session, table, withinMs)),
  });
  return openSqlStore(database, statementsOn(database.db, table, completed), completed, 'citus_stat_activity');
}
