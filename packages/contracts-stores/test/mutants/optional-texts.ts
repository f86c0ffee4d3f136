import { type NewPlant, optionalTextFields, type Plant } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ModelStore } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-3: an absent text and an empty text stay different. */
export const optionalTexts: readonly StoreMutant[] = optionalTextFields.flatMap((field) => [
  ['PR-3', `stores an absent ${field} as an empty one`, storing(field, (text) => text ?? '')],
  ['PR-3', `stores an absent ${field} as the text «undefined»`, storing(field, String)],
  ['PR-3', `takes an empty ${field} for none`, storing(field, (text) => text || undefined)],
  ['PR-3', `returns an absent ${field} as null`, returning((plant) => ({ ...plant, [field]: plant[field] ?? null }))],
  [
    'PR-3',
    `returns an absent ${field} as a property that is undefined`,
    returning((plant) => ({ ...plant, [field]: plant[field] })),
  ],
]);

function storing(field: keyof Plant, change: (text: string | undefined) => string | undefined): StoreClass {
  return class extends ModelStore {
    protected override snapshot(plant: NewPlant): NewPlant {
      const { [field]: text, ...rest } = super.snapshot(plant);
      const changed = change(text);
      return (changed === undefined ? rest : { ...rest, [field]: changed }) as NewPlant;
    }
  };
}

function returning(change: (plant: Plant) => object): StoreClass {
  return class extends ModelStore {
    protected override returned(stored: Plant): Plant {
      return change(stored) as Plant;
    }
  };
}
