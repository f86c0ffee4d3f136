import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { createPlant, type NewPlant, type Plant, type PlantRepository } from '@plant-store/domain';
import type { Mutation } from '../mutation.ts';

/**
 * Creates plants in a later turn of the event loop. Otherwise requests whose bodies came with them have been responded to
 * before the parser reads what is behind them.
 */
export const createLater: Mutation = {
  createPlant: (create) => async (plant) => {
    await turnOfTheEventLoop();
    return create(plant);
  },
};

/** Changes the plant before the use case gets it. */
export function changedPlant(change: (plant: NewPlant) => NewPlant): Mutation {
  return { createPlant: (create) => (plant) => create(change(plant)) };
}

/** The use case of the domain over a repository that does nothing but store. */
export function brokenRepository(make: (rows: Map<bigint, Plant>) => PlantRepository['add']): Mutation {
  return { createPlant: () => createPlant({ add: make(new Map()) }) };
}

/** The use case compares plants in its own way. */
export function comparing(isSame: (a: Plant, b: Plant) => boolean): Mutation {
  return {
    createPlant: () => {
      const rows = new Map<bigint, Plant>();
      return async ({ id, ...plant }) => {
        const stored = rows.get(id) ?? plant;
        rows.set(id, stored);
        return isSame(stored, plant) ? { outcome: 'created', plant } : { outcome: 'id-taken', id };
      };
    },
  };
}
