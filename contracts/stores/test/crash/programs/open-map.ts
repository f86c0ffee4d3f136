import type { NewPlant } from '@plant-store/domain';
import type { AddingStore } from '../../../src/crash/index.ts';

/** The shortest store there is, for a process that is killed. */
export function openMap(): AddingStore {
  const plants = new Map<bigint, NewPlant>();
  return {
    plants: {
      add: async (plant) => {
        const stored = plants.get(plant.id);
        if (stored) return { outcome: 'exists', plant: stored };
        plants.set(plant.id, plant);
        return { outcome: 'added' };
      },
    },
    close: async () => {},
  };
}
