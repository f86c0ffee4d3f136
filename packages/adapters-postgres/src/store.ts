import type { PlantStore } from '@plant-store/domain';
import { type AnyResult, plantStoreOf, plants, type Table, type TableStore, withTimeout } from '@plant-store/sql-store';
import { faultIfDistributed } from './distributed.ts';
import { openDatabase } from './driver/database.ts';
import { openOn } from './open-on.ts';
import { completeOptions, type PostgresOptions } from './options.ts';

/**
 * Opens a store that keeps plants in a PostgreSQL database, 15 or newer, which any number of processes may share. Adds
 * that wait at the same time are stored with one commit. It connects once at first, for up to `timeoutMs`; an outage does not
 * keep it from opening. The database has to be migrated (`migratePostgres`), before or after: until it is, adds and checks
 * throw {@link StoreUnavailable}.
 *
 * @throws {RangeError} when an option is out of its range.
 * @throws {Error} when the connection string cannot be used, with what is wrong with it.
 * @throws {StoreMisconfigured} when the table of plants is distributed (Citus), with the URL to use.
 */
export async function openPostgres(options: PostgresOptions): Promise<PlantStore> {
  return plantStoreOf(await openTable(plants, options));
}

/** The same for any table, which is there already. */
export async function openTable<Item extends object, Key extends bigint | string, Result extends AnyResult>(
  table: Table<Item, Key, Result>,
  options: PostgresOptions,
): Promise<TableStore<Item, Key, Result>> {
  const completed = completeOptions(options, table);
  const db = openDatabase(completed);
  const fault = await withTimeout(faultIfDistributed(db.kysely, completed), completed.timeoutMs).catch(() => undefined);
  if (!fault) return openOn(db, table, completed);
  await db.close();
  throw fault;
}
