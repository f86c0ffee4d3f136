import type { AddResult, NewPlant } from '@plant-store/domain';
import type { Database } from '../model/database.ts';
import { ADDED, type ModelStore, type Settled, type StoreMutation, settled } from '../model/model-store.ts';

/**
 * Group commit as adapters do it, with up to four batches at once; looks which ids are free before it writes. A lock keeps
 * other stores out meanwhile, and lets its owner in again, as locks of fcntl(2) do; it ends with its owner's process.
 */
export const batching: StoreMutation = (_, store) => {
  const { database, connection } = store;
  const queue: { readonly plant: NewPlant; readonly settle: (result: Promise<AddResult>) => void }[] = [];
  let isScheduled = false;
  let writes = 0;
  /** Batches that it holds the lock for. */
  let locked = 0;

  function writeWaiting(): void {
    isScheduled = false;
    while (queue.length > 0 && writes < MAX_WRITES) {
      writes += 1;
      const batch = queue.splice(0, MAX_BATCH);
      void store.write(batch.map(({ plant }) => plant)).then((results) => {
        for (const [at, { settle }] of batch.entries()) settle(unsettled(results[at] as Settled));
        writes -= 1;
        writeWaiting();
      });
    }
  }

  function isLockedOut(): boolean {
    const owner = owners.get(database);
    return owner !== undefined && owner.store !== store && owner.crashes === database.crashes;
  }

  return {
    enqueue(plant) {
      if (!isScheduled) void database.sleep(0).then(writeWaiting);
      isScheduled = true;
      return new Promise((settle) => queue.push({ plant, settle }));
    },
    async commit(batch) {
      do await connection.reach();
      while (isLockedOut());
      owners.set(database, { store, crashes: database.crashes });
      locked += 1;
      try {
        const firsts = new Map(batch.toReversed().map((plant) => [plant.id, plant]));
        const free = new Set([...firsts.values()].filter(({ id }) => !connection.find(id)));
        await connection.reach();
        connection.insert([...free]);
        await connection.flush();
        return batch.map((plant) => settled(() => (free.has(plant) ? ADDED : store.exists(plant))));
      } finally {
        locked -= 1;
        if (locked === 0) owners.delete(database);
      }
    },
  };
};

const MAX_WRITES = 4;
const MAX_BATCH = 500;

const owners = new WeakMap<Database, { readonly store: ModelStore; readonly crashes: number }>();

async function unsettled(result: Settled): Promise<AddResult> {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
