import { type AddResult, type NewPlant, type Plant, plantOf } from '@plant-store/domain';
import { ModelStore } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-8: neither the object passed in nor one handed out gives a way to change what is stored. */
export const aliases: readonly StoreMutant[] = [
  {
    does: 'reads the object that was passed in only when its turn has come',
    breaks: 'PR-8',
    Store: class extends ModelStore {
      protected override snapshot(plant: NewPlant): NewPlant {
        return plant;
      }
    },
  },
  {
    does: 'keeps the object that was passed in',
    breaks: 'PR-8',
    Store: class extends ModelStore {
      protected override async add(plant: NewPlant): Promise<AddResult> {
        const { id } = plant;
        const result = await super.add(plant);
        if (result.outcome === 'added') this.database.rows.set(id, plant);
        return result;
      }

      protected override handOut(stored: Plant): Plant {
        return plantOf(stored);
      }
    },
  },
  {
    does: 'hands out the object that it keeps',
    breaks: 'PR-8',
    Store: class extends ModelStore {
      protected override handOut(stored: Plant): Plant {
        return stored;
      }
    },
  },
  {
    does: 'remembers the plant that it handed out, and hands the same object out again',
    breaks: 'PR-8',
    Store: class extends ModelStore {
      readonly #handedOut = new Map<bigint, Plant>();

      protected override handOut(stored: Plant, asked: NewPlant): Plant {
        const plant = this.#handedOut.get(asked.id) ?? super.handOut(stored, asked);
        this.#handedOut.set(asked.id, plant);
        return plant;
      }
    },
  },
];
