import { type NewPlant, type PlantExport, type PlantStore, plantOf, StoreUnavailable } from '@plant-store/domain';

/** A store that is its own export: no other process can see its plants. */
export interface MemoryStore extends PlantStore, PlantExport {}

/** Opens a store that keeps plants in a Map for as long as it is open. */
export function openMemory(): MemoryStore {
  const stored = new Map<bigint, NewPlant>();
  let closed = false;

  function assertOpen(): void {
    if (closed) throw new StoreUnavailable('the memory store is closed');
  }

  return {
    plants: {
      async add(plant) {
        assertOpen();
        const existing = stored.get(plant.id);
        if (existing) return { outcome: 'exists', plant: plantOf(existing) };
        stored.set(plant.id, copyOf(plant));
        return { outcome: 'added' };
      },
    },
    async check() {
      assertOpen();
    },
    async *readAll() {
      assertOpen();
      const sorted = [...stored.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
      for (const plant of sorted) yield copyOf(plant);
    },
    async close() {
      closed = true;
      stored.clear();
    },
  };
}

/** Neither the caller's object nor a returned one gives access to what is stored. */
function copyOf(plant: NewPlant): NewPlant {
  return { id: plant.id, ...plantOf(plant) };
}
