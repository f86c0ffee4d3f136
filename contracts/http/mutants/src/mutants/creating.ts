import { setImmediate } from 'node:timers/promises';
import type { Mutants } from '../mutation.ts';
import { brokenRepository, comparing } from '../mutations/use-case.ts';

/** Break HC-18 to HC-21: creating is idempotent, and an id belongs to one plant for ever. */
export const creating: Mutants = {
  'HC-18': {
    'returns id-taken for the same plant, sent again': {
      createPlant: (create) => {
        const seen = new Set<bigint>();
        return async (plant) => {
          if (seen.has(plant.id)) return { outcome: 'id-taken', id: plant.id };
          seen.add(plant.id);
          return create(plant);
        };
      },
    },
  },
  'HC-19': {
    'compares the name only': comparing((a, b) => a.name === b.name),
    'refuses another plant, but has overwritten the one that was there': brokenRepository(
      (rows) =>
        async ({ id, ...plant }) => {
          const stored = rows.get(id);
          rows.set(id, plant);
          return stored ? { outcome: 'exists', plant: stored } : { outcome: 'added' };
        },
    ),
  },
  'HC-20': {
    'looks up, then writes, and lets another write in between': brokenRepository((rows) => async ({ id, ...plant }) => {
      const stored = rows.get(id);
      if (stored) return { outcome: 'exists', plant: stored };
      await setImmediate();
      rows.set(id, plant);
      return { outcome: 'added' };
    }),
  },
  'HC-21': {
    'returns id-taken to the loser of a race without comparing the plants': {
      createPlant: (create) => {
        const racing = new Set<bigint>();
        return async (plant) => {
          if (racing.has(plant.id)) return { outcome: 'id-taken', id: plant.id };
          racing.add(plant.id);
          await setImmediate();
          return create(plant).finally(() => racing.delete(plant.id));
        };
      },
    },
  },
};
