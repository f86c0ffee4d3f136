import { type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { ModelStore, type Settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-20: an error shows no text of the plant. */
export const errors: readonly StoreMutant[] = [
  {
    does: 'throws what the database says of a rejected plant, with the failing row as its detail',
    breaks: 'PR-20',
    Store: class extends ModelStore {
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
  },
  {
    does: 'names the plant in the message of StoreUnavailable',
    breaks: 'PR-20',
    Store: class extends ModelStore {
      protected override async add(plant: NewPlant) {
        try {
          return await super.add(plant);
        } catch (error) {
          throw this.database.outage ? new StoreUnavailable(`no answer for ${plant.name}`) : error;
        }
      }
    },
  },
  {
    does: 'keeps the parameters of a statement that failed, in the cause',
    breaks: 'PR-20',
    Store: class extends ModelStore {
      protected override async add(plant: NewPlant) {
        try {
          return await super.add(plant);
        } catch (error) {
          if (!this.database.outage) throw error;
          const cause = Object.assign(new Error('statement timeout'), {
            parameters: [plant.id, plant.name, plant.tag],
          });
          throw new StoreUnavailable('no answer', { cause });
        }
      }
    },
  },
  {
    does: 'says which plant came too late when it is closed',
    breaks: 'PR-20',
    Store: class extends ModelStore {
      protected override async add(plant: NewPlant) {
        if (this.closed) throw new StoreUnavailable(`the store is closed, ${plant.tag} came too late`);
        return super.add(plant);
      }
    },
  },
];
