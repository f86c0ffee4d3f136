import { setTimeout } from 'node:timers/promises';
import type { NewPlant } from '@plant-store/domain';
import { type AddingStore, addPlantsWith } from '../../../src/crash/index.ts';

addPlantsWith(({ place, isEarly }: { readonly place?: string; readonly isEarly?: boolean }) => {
  if (place) throw new Error(`there is no store at ${place}`);
  return openMap(isEarly ? 5 : 0);
});

/** Batches those who add the same plant at once, and tells others of it while the batch is being written. */
function openMap(writingMs: number): AddingStore {
  const batches = new Map<bigint, Promise<unknown>>();
  const visible = new Map<bigint, NewPlant>();
  const write = async (plant: NewPlant) => {
    await undefined;
    visible.set(plant.id, plant);
    if (writingMs > 0) await setTimeout(writingMs);
  };
  return {
    plants: {
      async add(plant) {
        const stored = visible.get(plant.id);
        if (stored) return { outcome: 'exists', plant: stored };
        const batch = batches.get(plant.id);
        if (!batch) batches.set(plant.id, write(plant));
        await batches.get(plant.id);
        return batch ? { outcome: 'exists', plant } : { outcome: 'added' };
      },
    },
    close: async () => {},
  };
}
