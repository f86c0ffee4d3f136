import { mutantTable } from '@plant-store/contracts-kit';
import type { NewPlant, Plant } from '@plant-store/domain';
import { ModelStore } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-8: changing an object that was passed in or returned does not change what is stored. */
export const aliases: readonly StoreMutant[] = mutantTable({
  'PR-8': {
    'reads the object that was passed in only when it is written': class extends ModelStore {
      protected override snapshot(plant: NewPlant): NewPlant {
        return plant;
      }
    },
    'caches the plant that it returned, and returns the same object again': class extends ModelStore {
      readonly #returned = new Map<bigint, Plant>();

      protected override returned(stored: Plant, asked: NewPlant): Plant {
        const plant = this.#returned.get(asked.id) ?? super.returned(stored, asked);
        this.#returned.set(asked.id, plant);
        return plant;
      }
    },
  },
});
