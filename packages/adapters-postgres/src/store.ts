import type { PlantStore } from '@plant-store/domain';
import { groupCommitStore } from '@plant-store/group-commit';
import { storeByNode } from './citus/store-by-node.ts';
import { resolveConflicts } from './conflicts.ts';
import type { Database } from './driver/database.ts';
import { isTransient, toStoreUnavailable } from './errors.ts';
import { added, insertIfAbsent } from './insert-batch.ts';
import { type CompleteOptions, completeOptions, type PostgresOptions } from './options.ts';
import { checkCanAdd } from './statements.ts';

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
  return storeByNode(completeOptions(options), openOn);
}

/** Opens a store for a table that is not distributed. */
export function openOn(db: Database, options: CompleteOptions): PlantStore {
  return groupCommitStore(
    {
      async insertBatch(plants) {
        const { ids, refused } = await insertIfAbsent(db, plants).catch(rethrow);
        return plants.map(({ id }) => (ids.has(id) ? added : refused.get(id)));
      },
      // A commit of their own, for which those that were inserted do not wait.
      resolveConflicts: (plants, deadline, settle) => resolveConflicts(db, plants, deadline, settle).catch(rethrow),
      probe: () => checkCanAdd(db.statements).catch(rethrow),
      close: () => db.close(),
      isTransient,
    },
    options,
    options.observer,
  );
}

function rethrow(error: unknown): never {
  throw toStoreUnavailable(error);
}
