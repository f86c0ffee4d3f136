import type { PlantStore } from '@plant-store/domain';
import { groupCommitStore } from '@plant-store/group-commit';
import { resolveConflicts } from './conflicts.ts';
import type { Database } from './driver/database.ts';
import { isTransient, toStoreUnavailable } from './errors.ts';
import { added, insertIfAbsent } from './insert-batch.ts';
import type { CompleteOptions } from './options.ts';
import { checkCanAdd } from './statements.ts';

/** Opens a store for a table that is not distributed. */
export function openWholeStore(db: Database, options: CompleteOptions): PlantStore {
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
