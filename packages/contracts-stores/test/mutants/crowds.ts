import { mutantTable } from '@plant-store/contracts-kit';
import type { AddResult, NewPlant } from '@plant-store/domain';
import { ADDED, ModelStore, type Settled } from '../model/model-store.ts';
import { LookingFirstStore } from './looking-first-store.ts';
import type { StoreMutant } from './mutant.ts';
import { Pool } from './pool.ts';

/** Break PR-6, but not while two race. */
export const crowdedRaces: readonly StoreMutant[] = mutantTable({
  'PR-6': {
    'checks whether the id is free while it waits for one of its ten connections': class extends ModelStore {
      readonly #pool = new Pool(10);
      #adding = 0;

      protected override async enqueue(plant: NewPlant): Promise<AddResult> {
        this.#adding += 1;
        const isFree = this.#adding <= 10 ? undefined : !this.connection.find(plant.id);
        await this.#pool.take();
        try {
          await this.connection.reach();
          const isAdded = isFree ?? !this.connection.find(plant.id);
          if (isAdded) this.connection.overwrite(plant);
          const result = isAdded ? ADDED : this.exists(plant);
          await this.connection.flush();
          return result;
        } finally {
          this.#pool.release();
          this.#adding -= 1;
        }
      }
    },
  },
});

/** Break PR-7, but not while two race. */
export const crowdedSharing: readonly StoreMutant[] = mutantTable({
  'PR-7': {
    'uses a lock of its own process if a batch is too long for one statement': class extends LookingFirstStore {
      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        return batch.length > 50 ? this.lookFirst(batch) : super.commit(batch);
      }
    },
  },
});
