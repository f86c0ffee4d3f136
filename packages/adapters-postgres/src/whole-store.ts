import type { PlantStore } from '@plant-store/domain';
import { groupCommitStore } from '@plant-store/group-commit';
import { resolveConflicts, rowsOf } from './conflicts.ts';
import type { Database } from './driver/database.ts';
import { isTransient, toStoreUnavailable } from './errors.ts';
import { added, insertIfAbsent } from './insert-batch.ts';
import type { CompleteOptions } from './options.ts';
import { checkCanAdd } from './statements.ts';

/** Opens a store for a table that is not distributed. */
export function openWholeStore(db: Database, options: CompleteOptions): PlantStore {
  const rows = rowsOf(db);
  return groupCommitStore(
    {
      async insertBatch(plants) {
        const { ids, refused } = await insertIfAbsent(db, plants).catch(rethrow);
        return plants.map(({ id }) => (ids.has(id) ? added : refused.get(id)));
      },
      // A commit of their own, for which those that were inserted do not wait.
      resolveConflicts: (plants, _deadline, settle) => resolveConflicts(rows, plants, settle).catch(rethrow),
      sessionsView: 'pg_stat_activity',
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
