import type { PlantStore } from '@plant-store/domain';
import type { GroupCommit } from '@plant-store/group-commit';
import { type AnyResult, plantStoreOf, plants, type Table, unobserved, withTimeout } from '@plant-store/sql-store';
import { faultIfDistributed } from './distributed.ts';
import { openDatabase, openKysely } from './driver/database.ts';
import { openOn } from './open-on.ts';
import { type CompleteOptions, completeOptions, type PostgresOptions } from './options.ts';

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
): Promise<GroupCommit<Item, Result>> {
  const completed = completeOptions(options, table);
  const fault = await lookOnce(completed).catch(() => undefined);
  if (fault) throw fault;
  return openOn(openDatabase(completed), table, completed);
}

/** On a connection of its own: those of the store are opened when a record needs them. */
async function lookOnce(options: CompleteOptions): Promise<Error | undefined> {
  const db = openKysely({ ...options, poolSize: 1, observer: unobserved });
  const looking = faultIfDistributed(db, options).finally(() => db.destroy());
  return withTimeout(looking, options.timeoutMs);
}
