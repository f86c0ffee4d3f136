import { mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, StoreUnavailable } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ModelStore, type Settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-20: an error shows no text of the plant. */
export const errors: readonly StoreMutant[] = mutantTable({
  'PR-20': {
    'throws what the database says of a rejected plant, with the failing row as its detail': class extends ModelStore {
      protected override async reject(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        const results = await super.reject(batch, reason);
        for (const [at, result] of results.entries())
          if (result.status === 'rejected' && batch.length === 1)
            Object.assign(result.reason as Error, {
              detail: `Failing row contains (${Object.values(batch[at] ?? {})})`,
            });
        return results;
      }
    },
    'keeps the parameters of a statement that failed, in the cause': failing(({ id, name, tag }) => {
      const cause = Object.assign(new Error('statement timeout'), { parameters: [id, name, tag] });
      return new StoreUnavailable('no answer', { cause });
    }),
    'says which plant came too late when it is closed': class extends ModelStore {
      protected override async add(plant: NewPlant) {
        if (this.closed) throw new StoreUnavailable(`the store is closed, ${plant.tag} came too late`);
        return super.add(plant);
      }
    },
  },
});

/** A store with its own error for an add that fails in an outage. */
function failing(errorOf: (plant: NewPlant) => StoreUnavailable): StoreClass {
  return class extends ModelStore {
    protected override async add(plant: NewPlant) {
      try {
        return await super.add(plant);
      } catch (error) {
        throw this.database.outage ? errorOf(plant) : error;
      }
    }
  };
}
