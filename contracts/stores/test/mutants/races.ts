import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, StoreUnavailable } from '@plant-store/domain';
import type { Database } from '../model/database.ts';
import { ADDED, type ModelStore, type Settled, type StoreMutation, settled } from '../model/model-store.ts';
import { batching } from './batching.ts';
import { Pool } from './pool.ts';

/** Break PR-6 and PR-7: of the plants that race for one id exactly one is stored, through one store or several. */
export const races: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: racers in a batch, a turn apart, more than there are connections.
  'PR-6': {
    'infers from the returned ids which plants of a batch it stored': ({ exists }, { connection }) => ({
      async commit(batch) {
        await connection.reach();
        const ids = new Set([...connection.insert(batch)].map(({ id }) => id));
        await connection.flush();
        return batch.map((plant) => settled(() => (ids.has(plant.id) ? ADDED : exists(plant))));
      },
    }),
    'batches adds, and checks which ids are free before it writes, several batches at once': batching,
    'checks whether the id is free while it waits for one of its ten connections': ({ exists }, { connection }) => {
      const pool = new Pool(10);
      let adding = 0;
      return {
        async enqueue(plant) {
          adding += 1;
          const isFree = adding <= 10 ? undefined : !connection.find(plant.id);
          await pool.take();
          try {
            await connection.reach();
            const isAdded = isFree ?? !connection.find(plant.id);
            if (isAdded) connection.overwrite(plant);
            const result = isAdded ? ADDED : exists(plant);
            await connection.flush();
            return result;
          } finally {
            pool.release();
            adding -= 1;
          }
        },
      };
    },
  },
  'PR-7': {
    'checks whether the id is free, then inserts, under a lock of its own process': (_, store) => ({
      commit: (batch) => lookFirst(store, batch),
    }),
    'locks rows in the order of the adds, and fails if two stores deadlock': ({ write }, store) => ({
      async write(batch) {
        const { owners, waiting } = locksOf(store.database);
        try {
          // Row by row, and held to the end, as one long INSERT does.
          for (const { id } of batch) {
            await store.connection.reach();
            for (let owner = owners.get(id); owner && owner !== store; owner = owners.get(id)) {
              if (waiting.get(owner) === store) throw new StoreUnavailable('deadlock detected');
              waiting.set(store, owner);
              await store.connection.reach();
            }
            waiting.delete(store);
            owners.set(id, store);
          }
          return await write(batch);
        } catch (reason) {
          return batch.map(() => ({ status: 'rejected', reason }));
        } finally {
          waiting.delete(store);
          for (const { id } of batch) if (owners.get(id) === store) owners.delete(id);
        }
      },
    }),
  },
});

/** One plant after the other, which is a lock of its own process: correct as long as no other store does so. */
async function lookFirst(store: ModelStore, plants: readonly NewPlant[]): Promise<readonly Settled[]> {
  const { connection } = store;
  const results: Settled[] = [];
  for (const plant of plants) {
    await connection.reach();
    const taken = connection.find(plant.id);
    await connection.reach();
    if (!taken) connection.overwrite(plant);
    results.push(settled(() => (taken ? store.exists(plant) : ADDED)));
  }
  await connection.flush();
  return results;
}

interface Locks {
  readonly owners: Map<bigint, ModelStore>;
  readonly waiting: Map<ModelStore, ModelStore>;
}

const locks = new WeakMap<Database, Locks>();

function locksOf(database: Database): Locks {
  const known = locks.get(database) ?? { owners: new Map(), waiting: new Map() };
  locks.set(database, known);
  return known;
}
