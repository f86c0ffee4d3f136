import type { PlantStore } from '@plant-store/domain';
import { completeServerOptions } from '@plant-store/store-kit';
import { openSqlStore } from '@plant-store/store-kit/sql';
import { openDatabase } from './database.ts';
import type { MysqlOptions } from './options.ts';
import { statementsOn } from './statements.ts';
import { checkSession } from './table.ts';

/**
 * Opens a store on MariaDB, 10.11 or newer, or MySQL, 8.0 or newer, which any number of processes may share. Concurrent adds share a
 * commit. The database may be migrated (`migrateMysql`) before or after. Until it is, and in an outage, adds and checks throw
 * {@link StoreUnavailable}.
 *
 * @throws {StoreMisconfigured} if a retry cannot help, as with a wrong password or a table that cannot store every plant.
 * @throws {RangeError} if an option is out of its range.
 * @throws {Error} if the connection string cannot be used, with the reason.
 */
export async function openMysql(options: MysqlOptions): Promise<PlantStore> {
  const completed = completeServerOptions(options);
  const database = openDatabase(completed, { check: checkSession });
  return openSqlStore(database, statementsOn(), completed, 'information_schema.innodb_trx');
}
