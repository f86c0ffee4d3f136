import { mutantTable } from '@plant-store/contracts-kit';
import type { NewPlant } from '@plant-store/domain';
import type { Database } from '../model/database.ts';
import type { StoreClass } from '../model/model-harness.ts';
import { ModelStore, type Settled } from '../model/model-store.ts';
import { DeadlockingStore } from './deadlocking-store.ts';
import { LookingFirstStore } from './looking-first-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-7: taken ids and races are decided across stores that are open on the same data. */
export const sharing: readonly StoreMutant[] = mutantTable({
  'PR-7': {
    'checks whether the id is free, then inserts, under a lock of its own process': class extends LookingFirstStore {
      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        return this.lookFirst(batch);
      }
    },
    'lets a second store wait for as long as the first one is open': lockingOut(() => new Promise(() => {})),
    'locks rows in the order of the adds, and fails if two stores deadlock': DeadlockingStore,
  },
});

/** A store that has the database for itself while it is open, and what happens to the next one. */
function lockingOut(next: () => Promise<void>): StoreClass {
  return class extends ModelStore {
    override async open(): Promise<void> {
      // A lock goes with its process: one from before a crash is none.
      if (lockedAt.get(this.database) === this.database.crashes) await next();
      lockedAt.set(this.database, this.database.crashes);
      await super.open();
    }

    override async close(): Promise<void> {
      await super.close();
      lockedAt.delete(this.database);
    }
  };
}

const lockedAt = new WeakMap<Database, number>();
