import type { PlantStore } from '@plant-store/domain';
import {
  type AnyResult,
  openTableStore,
  plantStoreOf,
  plants,
  serverEngine,
  type Table,
  type TableStore,
} from '@plant-store/sql-store';
import { openConnections } from './driver/connections.ts';
import { isTransient, translateError } from './errors.ts';
import { insertBatchInto } from './insert-batch.ts';
import { completeOptions, type MysqlOptions } from './options.ts';
import { statementsOf } from './statements.ts';

/**
 * Opens a store that keeps plants in a database of MariaDB, 10.11 or newer, or MySQL, 8.0 or newer, which any number of
 * processes may share. Adds that wait at the same time are stored with one commit. It connects when it is used. The
 * database has to be migrated (`migrateMysql`), before or after: until it is, adds and checks throw
 * {@link StoreUnavailable}.
 *
 * @throws {RangeError} when an option is out of its range.
 * @throws {Error} when the connection string cannot be used, with what is wrong with it.
 */
export async function openMysql(options: MysqlOptions): Promise<PlantStore> {
  return plantStoreOf(await openTable(plants, options));
}

/** The same for any table, which is there already, beside the one that a migration makes for `writeDurably`. */
export async function openTable<Item extends object, Key extends bigint | string, Result extends AnyResult>(
  table: Table<Item, Key, Result>,
  options: MysqlOptions,
): Promise<TableStore<Item, Key, Result>> {
  const completed = completeOptions(options, table);
  const connections = openConnections(completed);
  const statements = statementsOf(table, connections);
  const brought = { ...statements, insertBatch: insertBatchInto(table, statements) };
  const engine = serverEngine(table, brought, { translateError, isTransient, close: () => connections.end() });
  return openTableStore(table, engine, { ...completed, sessionsView: 'information_schema.innodb_trx' });
}
