import type { PlantStore } from '@plant-store/domain';
import { completeServerOptions } from '@plant-store/store-kit';
import { openSqlStore } from '@plant-store/store-kit/sql';
import { openDatabase } from './database.ts';
import type { MysqlOptions } from './options.ts';
import { statementsOn } from './statements.ts';
import { checkSession } from './table.ts';

/**
 * Opens a store that keeps plants in a database of MariaDB, 10.11 or newer, or MySQL, 8.0 or newer, which any number of
 * processes may share. Adds that wait at the same time are stored with one commit. The database has to be migrated
 * (`migrateMysql`), before or after: until it is, and in an outage, adds and checks throw {@link StoreUnavailable}.
 *
 * @throws {StoreMisconfigured} when waiting does not help, as with a wrong password or a table that cannot keep every plant.
 * @throws {RangeError} when an option is out of its range.
 * @throws {Error} when the connection string cannot be used, with what is wrong with it.
 */
export async function openMysql(options: MysqlOptions): Promise<PlantStore> {
  const completed = completeServerOptions(options);
  const database = openDatabase(completed, { check: (session) => checkSession(session, completed.connectWithinMs) });
  return openSqlStore(database, statementsOn(database, completed), completed, 'information_schema.innodb_trx');
}
