import type { PlantStore } from '@plant-store/domain';
import type { GroupCommit } from '@plant-store/group-commit';
import { type AnyResult, plantStoreOf, plants, type Table } from '@plant-store/sql-store';
import { storeByNode } from './citus/store-by-node.ts';
import { openDatabase } from './driver/database.ts';
import { completeOptions, type PostgresOptions } from './options.ts';
import { openWholeStore } from './whole-store.ts';

/**
 * Opens a store that keeps plants in a PostgreSQL database, 15 or newer, which any number of processes may share. Adds
 * that wait at the same time are stored with one commit. It connects once at first, to look whether the table
 * of plants is distributed (Citus), for up to `timeoutMs` if the database does not respond; an outage does not keep it from
 * opening. The database has to be migrated (`migratePostgres`), before or after: until it is, adds and checks throw
 * {@link StoreUnavailable}.
 *
 * @throws {RangeError} when an option is out of its range.
 * @throws {Error} when the connection string cannot be used, with what is wrong with it.
 */
export async function openPostgres(options: PostgresOptions): Promise<PlantStore> {
  const openWhole: Parameters<typeof storeByNode>[1] = (db, completed) =>
    plantStoreOf(openWholeStore(plants, db, completed));
  return storeByNode(completeOptions(options), openWhole);
}

/** The same for any table, which is not distributed and is there already. */
export async function openTable<Item extends object, Key extends bigint | string, Result extends AnyResult>(
  table: Table<Item, Key, Result>,
  options: PostgresOptions,
): Promise<GroupCommit<Item, Result>> {
  const completed = completeOptions(options, table);
  return openWholeStore(table, openDatabase(completed), completed);
}
