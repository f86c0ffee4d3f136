import { mutantTable } from '@plant-store/contracts-kit';
import type { AddResult, NewPlant } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ADDED, ModelStore, type Settled, settled } from '../model/model-store.ts';
import { BatchingStore } from './batching-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-6: of the plants that race for one id exactly one is stored, and every other caller gets that one. */
export const races: readonly StoreMutant[] = mutantTable({
  'PR-6': {
    'checks whether the id is free, then inserts': class extends ModelStore {
      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        await this.connection.reach();
        const free = new Set(batch.filter(({ id }) => !this.connection.find(id)));
        await this.connection.reach();
        for (const plant of free) this.connection.overwrite(plant);
        await this.connection.flush();
        return batch.map((plant) => settled(() => (free.has(plant) ? ADDED : this.exists(plant))));
      }
    },
    'infers from the returned ids which plants of a batch it stored': withResultForLosers(() => ADDED),
    'batches adds, and checks which ids are free before it writes, several batches at once': BatchingStore,
    'holds a batch in a Map by id, so that only the last call for an id ever settles': class extends ModelStore {
      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        const last = new Map(batch.map((plant) => [plant.id, plant]));
        const plants = [...last.values()];
        const results = await super.write(plants);
        return batch.map((plant) => results[plants.indexOf(plant)] as Settled);
      }
    },
  },
});

/** A store with its own result for a plant whose id went to another one of the same batch. */
function withResultForLosers(result: (plant: NewPlant) => AddResult): StoreClass {
  return class extends ModelStore {
    protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
      await this.connection.reach();
      const inserted = this.connection.insert(batch);
      const ids = new Set([...inserted].map(({ id }) => id));
      await this.connection.flush();
      return batch.map((plant) =>
        settled(() => {
          if (inserted.has(plant)) return ADDED;
          return ids.has(plant.id) ? result(plant) : this.exists(plant);
        }),
      );
    }
  };
}
