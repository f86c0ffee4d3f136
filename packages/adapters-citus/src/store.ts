import { openDatabase, PlantTable } from '@plant-store/adapters-postgres/driver';
import type { PlantStore } from '@plant-store/domain';
import { completeServerOptions } from '@plant-store/store-kit';
import { openSqlStore } from '@plant-store/store-kit/sql';
import { postgresOptions } from './connection-string.ts';
import type { CitusOptions } from './options.ts';
import { checkCluster, statementsOn } from './statements.ts';

/**
 * Opens a store that keeps plants in a Citus cluster, through its coordinator; any number of processes may share it. While the
 * table is not distributed, or the database has no Citus, plants are stored as on PostgreSQL. A batch is one commit, in two
 * phases where it concerns several nodes: while one of them cannot commit, none of its plants is stored. Otherwise it is as
 * `openPostgres`.
 *
 * @throws {RangeError} when an option is out of its range.
 * @throws {Error} when the connection string cannot be used, with what is wrong with it.
 */
export async function openCitus(options: CitusOptions): Promise<PlantStore> {
  const completed = completeServerOptions(postgresOptions(options));
  const table = new PlantTable();
  const database = openDatabase(completed, {
    // Citus plans each execution anyway, and an insert's text differs by its rows.
    preparesStatements: false,
    prepare: async (session) => void (await checkCluster(session, table, completed.connectWithinMs)),
  });
  return openSqlStore(database, statementsOn(database, table, completed), completed, 'citus_stat_activity');
}
