import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import type { Database } from '../model/database.ts';
import { ADDED, type ModelStore, type Outcome, type StoreMutation } from '../model/model-store.ts';

/** Break PR-6 and PR-7: of the plants that race for one id exactly one is stored, through one store or several. */
export const races: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: racers in a batch, a turn apart, more than there are connections.
  'PR-6': {
    'infers from the returned ids which plants of a batch it stored': ({ exists }, { database }) => ({
      async commit(batch) {
        await database.reach();
        const ids = new Set([...database.insert(batch)].map(({ id }) => id));
        await database.flush();
        return batch.map((plant) => (ids.has(plant.id) ? ADDED : exists(plant)));
      },
    }),
    'batches adds of one turn, and checks which ids are free before it writes, several batches at once': (_, store) => {
      let batch: { readonly plants: NewPlant[]; readonly writing: Promise<readonly Outcome[]> } | undefined;
      return {
        async enqueue(plant) {
          batch ??= {
            plants: [],
            writing: store.database.sleep(0).then(() => {
              const { plants = [] } = batch ?? {};
              batch = undefined;
              return lookFirst(store, plants);
            }),
          };
          const at = batch.plants.push(plant) - 1;
          return (await batch.writing)[at] as AddResult;
        },
      };
    },
    'looks whether the id is free before it waits for its turn, once a hundred are adding': (
      { exists },
      { database },
    ) => {
      let adding = 0;
      return {
        async enqueue(plant) {
          adding += 1;
          const wasFree = adding > 100 && !database.rows.has(plant.id);
          await database.reach();
          if (wasFree) database.overwrite(plant);
          const result = wasFree || database.insert([plant]).size > 0 ? ADDED : exists(plant);
          await database.flush();
          adding -= 1;
          return result as AddResult;
        },
      };
    },
  },
  'PR-7': {
    'checks whether the id is free, then inserts, under a lock of its own process': (_, store) => ({
      commit: (batch) => lookFirst(store, batch),
    }),
    'locks rows in the order of the adds, and fails if two stores deadlock': ({ write }, { database }) => ({
      async write(batch) {
        const all = locked.get(database) ?? new Set();
        locked.set(database, all);
        const ids = batch.map(({ id }) => id);
        if ([...all].some((others) => isCrossing(ids, others)))
          return batch.map(() => new StoreUnavailable('deadlock detected'));
        all.add(ids);
        return write(batch).finally(() => all.delete(ids));
      },
    }),
  },
});

/** One plant after the other, which is a lock of its own process: correct as long as no other store does so. */
async function lookFirst(store: ModelStore, plants: readonly NewPlant[]): Promise<readonly Outcome[]> {
  const { database } = store;
  const outcomes: Outcome[] = [];
  for (const plant of plants) {
    await database.reach();
    const isTaken = database.rows.has(plant.id);
    await database.reach();
    if (!isTaken) database.overwrite(plant);
    outcomes.push(isTaken ? store.exists(plant) : ADDED);
  }
  await database.flush();
  return outcomes;
}

/** The ids of the batches that are being written, each in the order in which its rows are locked. */
const locked = new WeakMap<Database, Set<readonly bigint[]>>();

function isCrossing(ids: readonly bigint[], others: readonly bigint[]): boolean {
  const common = ids.filter((id) => others.includes(id));
  const [first, last] = [common[0], common.at(-1)];
  return first !== undefined && last !== undefined && others.indexOf(first) > others.indexOf(last);
}
