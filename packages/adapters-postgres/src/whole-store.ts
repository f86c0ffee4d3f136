import type { PlantStore } from '@plant-store/domain';
import { openPlantStore } from '@plant-store/sql-store';
import { settleConflicts } from './conflicts.ts';
import type { Database } from './driver/database.ts';
import { isTransient, translateError } from './errors.ts';
import { insertBatch } from './insert-batch.ts';
import type { CompleteOptions } from './options.ts';
import { checkCanAdd, lockSkipLocked, notStored } from './statements.ts';

/** Opens a store for a table that is not distributed. */
export function openWholeStore(db: Database, options: CompleteOptions): PlantStore {
  const { statements } = db;
  const read = {
    lockSkipLocked: lockSkipLocked.bind(undefined, statements),
    notStored: notStored.bind(undefined, statements),
  };
  return openPlantStore(
    {
      write: (plants, _deadline, mayWait) => insertBatch(db, plants, mayWait).catch(rethrow),
      settle: (plants, _deadline, done) => settleConflicts(read, plants, done).catch(rethrow),
      probe: () => checkCanAdd(statements).catch(rethrow),
      close: () => db.close(),
      isTransient,
    },
    { ...options, sessionsView: 'pg_stat_activity' },
  );
}

function rethrow(error: unknown): never {
  throw translateError(error);
}
