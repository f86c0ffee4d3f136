import {
  type AddResult,
  type NewPlant,
  type PlantExport,
  type PlantStore,
  plantOf,
  StoreUnavailable,
} from '@plant-store/domain';

/** A store that is its own export: no other process can see its plants. */
export interface MemoryStore extends PlantStore, PlantExport {}

/** Opens a store that keeps plants in a Map for as long as it is open. */
export function openMemory(): MemoryStore {
  const { submit, ...others } = openTable(plants);
  return { plants: { add: submit }, ...others };
}

const plants: MemoryTable<NewPlant, bigint, AddResult> = {
  keyOf: ({ id }) => id,
  recordIn: (plant) => ({ id: plant.id, ...plantOf(plant) }),
  added: { done: { outcome: 'added' } },
  exists: (plant) => ({ done: { outcome: 'exists', plant: plantOf(plant) } }),
};

/** What a Map needs of a table. The tables of the SQL stores have it. */
export interface MemoryTable<Item, Key extends bigint | string, Result> {
  keyOf(item: Item): Key;
  /** A copy. */
  recordIn(item: NoInfer<Item>): Item;
  readonly added: { readonly done: Result };
  /** Has a copy of what the record has beside its key. */
  exists(record: NoInfer<Item>): { readonly done: Result };
}

/** The same for any table. */
export function openTable<Item, Key extends bigint | string, Result>(table: MemoryTable<Item, Key, Result>) {
  const records = new Map<Key, Item>();
  let closed = false;

  function assertOpen(): void {
    if (closed) throw new StoreUnavailable('the memory store is closed');
  }

  return {
    async submit(item: Item): Promise<Result> {
      assertOpen();
      const key = table.keyOf(item);
      const existing = records.get(key);
      if (existing) return table.exists(existing).done;
      // A copy, as every answer is: neither the caller's object nor the returned one gives access to what is stored.
      records.set(key, table.recordIn(item));
      return table.added.done;
    },
    async check() {
      assertOpen();
    },
    async *readAll() {
      assertOpen();
      const sorted = [...records].sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [, record] of sorted) yield table.recordIn(record);
    },
    async close() {
      closed = true;
      records.clear();
    },
  };
}
