import { setTimeout } from 'node:timers/promises';
import type { AddResult, NewPlant, PlantStore } from '@plant-store/domain';

/** Returns `exists` to the second call for a plant at once; `addMs` keeps the first call pending in the meantime. */
export function openTestStore({ addMs = 0, location = '' }): PlantStore {
  if (location) throw new Error(`there is no store at ${location}`);
  const visible = new Set<bigint>();
  const add = async (plant: NewPlant): Promise<AddResult> => {
    if (visible.has(plant.id)) return { outcome: 'exists', plant };
    visible.add(plant.id);
    if (addMs > 0) await setTimeout(addMs);
    return { outcome: 'added' };
  };
  return { plants: { add }, check: async () => {}, close: async () => {} };
}
