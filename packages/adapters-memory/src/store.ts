import {
  type AddResult,
  type NewPlant,
  type Plant,
  type PlantExport,
  type PlantStore,
  plantOf,
  StoreUnavailable,
} from '@plant-store/domain';

/** A store that is its own export: no other process can see its plants. */
export interface MemoryStore extends PlantStore, PlantExport {}

/** Opens a store that keeps plants in a Map for as long as it is open. */
export function openMemory(): MemoryStore {
  const plants = new Map<bigint, Plant>();
  let closed = false;

  function assertOpen(): void {
    if (closed) throw new StoreUnavailable('the memory store is closed');
  }

  return {
    plants: {
      async add(plant: NewPlant): Promise<AddResult> {
        assertOpen();
        const existing = plants.get(plant.id);
        if (existing) return { outcome: 'exists', plant: existing };
        // A frozen copy: neither the caller's object nor the returned one gives access to what is stored.
        plants.set(plant.id, Object.freeze(plantOf(plant)));
        return { outcome: 'added' };
      },
    },
    async check() {
      assertOpen();
    },
    async *readAll() {
      assertOpen();
      // Not copied: a stored plant never changes.
      const rows = [...plants].sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [id, plant] of rows) yield { id, ...plant };
    },
    async close() {
      closed = true;
      plants.clear();
    },
  };
}
