import type { NewPlant, Plant } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ModelStore } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-3: an absent tag and an empty tag stay different. */
export const tags: readonly StoreMutant[] = [
  {
    does: 'stores an absent tag as an empty one',
    breaks: 'PR-3',
    Store: storingTag((tag) => tag ?? ''),
  },
  {
    does: 'stores an absent tag as the text «undefined»',
    breaks: 'PR-3',
    Store: storingTag(String),
  },
  {
    does: 'takes an empty tag for none',
    breaks: 'PR-3',
    Store: storingTag((tag) => tag || undefined),
  },
  {
    does: 'hands an absent tag out as null',
    breaks: 'PR-3',
    Store: handingOut((plant) => ({ ...plant, tag: plant.tag ?? null })),
  },
  {
    does: 'hands an absent tag out as a mutant that is undefined',
    breaks: 'PR-3',
    Store: handingOut((plant) => ({ ...plant, tag: plant.tag })),
  },
];

function storingTag(change: (tag: string | undefined) => string | undefined): StoreClass {
  return class extends ModelStore {
    protected override snapshot(plant: NewPlant): NewPlant {
      const { tag, ...rest } = super.snapshot(plant);
      const changed = change(tag);
      return changed === undefined ? rest : { ...rest, tag: changed };
    }
  };
}

function handingOut(change: (plant: Plant) => { name: string; tag: string | null | undefined }): StoreClass {
  return class extends ModelStore {
    protected override handOut(stored: Plant): Plant {
      return change(stored) as Plant;
    }
  };
}
