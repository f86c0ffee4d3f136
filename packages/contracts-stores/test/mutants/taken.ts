import type { AddResult, NewPlant, Plant } from '@plant-store/domain';
import { ModelStore, type Settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** The clauses that look up what is stored, by adding another plant under its id. */
const allThatLookUp = [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 13, 16, 18].map((number) => `PR-${number}`);

/** Break PR-5: if the id is taken, add returns the plant that has it, which stays unchanged. */
export const taken: readonly StoreMutant[] = [
  {
    does: 'updates all but the name of the plant that has the id',
    breaks: 'PR-5',
    Store: class extends ModelStore {
      protected override exists(asked: NewPlant): AddResult {
        const result = super.exists(asked);
        if (result.outcome === 'exists') this.connection.overwrite({ ...asked, name: result.plant.name });
        return result;
      }
    },
  },
  {
    does: 'fills in the optional texts that the plant with the id lacks',
    breaks: 'PR-5',
    Store: class extends ModelStore {
      protected override exists(asked: NewPlant): AddResult {
        const stored = this.connection.find(asked.id);
        if (stored) this.connection.overwrite({ ...asked, ...stored });
        return super.exists(asked);
      }
    },
  },
  {
    does: 'overwrites the plant that has the id, and returns the old one',
    breaks: 'PR-5',
    alsoBreaks: {
      clauses: ['PR-6', 'PR-7', 'PR-8', 'PR-9', 'PR-10', 'PR-13', 'PR-16'],
      because: 'they meet a taken id more than once',
    },
    Store: class extends ModelStore {
      protected override exists(asked: NewPlant): AddResult {
        const result = super.exists(asked);
        this.connection.overwrite(asked);
        return result;
      }
    },
  },
  {
    does: 'returns the plant that was passed in if the names are equal',
    breaks: 'PR-5',
    Store: class extends ModelStore {
      protected override returned(stored: Plant, asked: NewPlant): Plant {
        return stored.name === asked.name ? withoutId(asked) : super.returned(stored, asked);
      }
    },
  },
  {
    does: 'returns the plant that was passed in',
    breaks: 'PR-5',
    alsoBreaks: {
      clauses: allThatLookUp,
      because: 'it hides what is stored',
    },
    Store: class extends ModelStore {
      protected override returned(_stored: Plant, asked: NewPlant): Plant {
        return withoutId(asked);
      }
    },
  },
  {
    does: 'returns the id with the plant',
    breaks: 'PR-5',
    Store: class extends ModelStore {
      protected override returned(stored: Plant, { id }: NewPlant): Plant {
        return { id, ...stored } as Plant;
      }
    },
  },
  {
    does: 'throws if another plant has the id',
    breaks: 'PR-5',
    alsoBreaks: {
      clauses: allThatLookUp,
      because: 'it hides what is stored',
    },
    Store: class extends ModelStore {
      protected override exists(asked: NewPlant): AddResult {
        throw new Error(`duplicate key value violates unique constraint: id ${asked.id}`);
      }
    },
  },
  {
    does: 'takes a connection of ten for every conflict, and never releases it',
    breaks: 'PR-5',
    alsoBreaks: {
      clauses: ['PR-1', 'PR-2', 'PR-4', 'PR-6', 'PR-7', 'PR-9', 'PR-10', 'PR-11', 'PR-13', 'PR-16'],
      because: 'they meet a taken id ten times',
    },
    Store: class extends ModelStore {
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
];

function withoutId({ id: _, ...plant }: NewPlant): Plant {
  return plant;
}
