import { setTimeout } from 'node:timers/promises';
import type { NewPlant } from '@plant-store/domain';
import { type AddingStore, addPlantsWith } from '../../../src/crash/index.ts';

addPlantsWith(openEarlyMap);

/** Batches those who add the same plant at once, and tells others of it while the batch is being written. */
function openEarlyMap(): AddingStore {
  const batches = new Map<bigint, Promise<unknown>>();
  const writing = new Map<bigint, NewPlant>();
  const write = async (plant: NewPlant) => {
    await setTimeout(0);
    writing.set(plant.id, plant);
    await setTimeout(5);
  };
  return {
    plants: {
      async add(plant) {
        const early = writing.get(plant.id);
        if (early) return { outcome: 'exists', plant: early };
        const batch = batches.get(plant.id);
        if (!batch) batches.set(plant.id, write(plant));
        await batches.get(plant.id);
        return batch ? { outcome: 'exists', plant } : { outcome: 'added' };
      },
    },
    close: async () => {},
  };
}
