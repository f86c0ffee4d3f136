import { mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, type Plant, StoreUnavailable } from '@plant-store/domain';
import type { Database } from '../model/database.ts';
import type { StoreClass } from '../model/model-harness.ts';
import { ADDED, ModelStore, type Settled, settled } from '../model/model-store.ts';
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
    'reads every plant when it is opened, and then knows only those and its own': class extends ModelStore {
      readonly #known = new Map<bigint, Plant>();

      override async open(): Promise<void> {
        await super.open();
        for (const [id, plant] of this.database.rows) this.#known.set(id, plant);
      }

      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        await this.connection.reach();
        const results = batch.map((plant) =>
          settled(() => {
            const known = this.#known.get(plant.id);
            if (known) return { outcome: 'exists', plant: this.returned(known, plant) };
            this.connection.overwrite(plant);
            const { id, ...row } = plant;
            this.#known.set(id, row);
            return ADDED;
          }),
        );
        await this.connection.flush();
        return results;
      }
    },
    'lets no second store be opened': lockingOut(() => {
      throw new StoreUnavailable('database is locked');
    }),
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
