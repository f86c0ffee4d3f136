import type { PlantStore } from '@plant-store/domain';
import { openPlantStore } from '@plant-store/sql-store';
import { settleConflicts } from './conflicts.ts';
import { openConnections } from './driver/connections.ts';
import { isTransient, translateError } from './errors.ts';
import { insertBatch } from './insert-batch.ts';
import { completeOptions, type MysqlOptions } from './options.ts';
import { checkCanAdd } from './statements.ts';

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
  const completed = completeOptions(options);
  const connections = openConnections(completed);
  return openPlantStore(
    {
      write: (...batch) => insertBatch(connections, ...batch).catch(rethrow),
      settle: (plants, _deadline, done) => settleConflicts(connections, plants, done).catch(rethrow),
      probe: () => checkCanAdd(connections).catch(rethrow),
      close: () => connections.end(),
      isTransient,
    },
    { ...completed, sessionsView: 'information_schema.innodb_trx' },
  );
}

function rethrow(error: unknown): never {
  throw translateError(error);
}
