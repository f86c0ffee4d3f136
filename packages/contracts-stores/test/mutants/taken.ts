import { mutantTable } from '@plant-store/contracts-kit';
import type { AddResult, NewPlant, Plant } from '@plant-store/domain';
import { ModelStore, type Settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-5: if the id is taken, add returns the plant that has it, which stays unchanged. */
export const taken: readonly StoreMutant[] = mutantTable({
  'PR-5': {
    'updates all but the name of the plant that has the id': class extends ModelStore {
      protected override exists(asked: NewPlant): AddResult {
        const result = super.exists(asked);
        if (result.outcome === 'exists') this.connection.overwrite({ ...asked, name: result.plant.name });
        return result;
      }
    },
    'overwrites the plant that has the id, and returns the old one': class extends ModelStore {
      protected override exists(asked: NewPlant): AddResult {
        const result = super.exists(asked);
        this.connection.overwrite(asked);
        return result;
      }
    },
    'returns the plant that was passed in if the names are equal': class extends ModelStore {
      protected override returned(stored: Plant, asked: NewPlant): Plant {
        return stored.name === asked.name ? withoutId(asked) : super.returned(stored, asked);
      }
    },
    'takes a connection of ten for every conflict, and never releases it': class extends ModelStore {
      #free = 10;

      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        if (this.#free <= 0) await new Promise(() => {});
        const results = await super.write(batch);
        this.#free -= results.filter(
          (result) => result.status === 'fulfilled' && result.value.outcome === 'exists',
        ).length;
        return results;
      }
    },
  },
});

function withoutId({ id: _, ...plant }: NewPlant): Plant {
  return plant;
}
