import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import type { Database } from '../../src/model/database.ts';
import { ADDED, type ModelStore, type Outcome, type StoreMutation } from '../../src/model/model-store.ts';

/** Break PR-6 and PR-7: races for one id, through one store or several. */
export const races: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: racers in one batch, racers in different turns, more racers than connections.
  'PR-6': {
    'infers from the returned ids which plants of a batch it stored': ({ exists }, { database }) => ({
      async commit(batch) {
        await database.roundTrip();
        const ids = new Set([...database.insert(batch)].map(({ id }) => id));
        await database.flush();
        return batch.map((plant) => (ids.has(plant.id) ? ADDED : exists(plant)));
      },
    }),
    'batches adds of one turn, and lets each batch check which ids are free before it inserts': (
      { exists },
      { database },
    ) => {
      const batch = new Map<bigint, Promise<Outcome>>();
      return {
        async enqueue(plant) {
          const first = batch.get(plant.id);
          if (first) return first.then(() => exists(plant) as AddResult);
          const adding = checkThenInsert(database, plant, exists);
          batch.set(plant.id, adding);
          void database.sleep(0).then(() => batch.delete(plant.id));
          return adding as Promise<AddResult>;
        },
      };
    },
    'checks which ids are free before it queues adds, once a hundred are queued': ({ enqueue }, { database }) => {
      let queued = 0;
      return {
        async enqueue(plant) {
          queued += 1;
          const isFree = queued > 100 && !database.rows.has(plant.id);
          const result = await enqueue(plant).finally(() => (queued -= 1));
          return isFree ? ADDED : result;
        },
      };
    },
  },
  'PR-7': {
    'checks whether the id is free, then inserts, under a lock of its own process': ({ exists }, { database }) => ({
      async commit(batch) {
        const outcomes: Outcome[] = [];
        for (const plant of batch) outcomes.push(await checkThenInsert(database, plant, exists));
        return outcomes;
      },
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

/** Is correct only while no other connection adds the same id. */
async function checkThenInsert(database: Database, plant: NewPlant, exists: ModelStore['exists']): Promise<Outcome> {
  await database.roundTrip();
  const isTaken = database.rows.has(plant.id);
  await database.roundTrip();
  if (!isTaken) database.overwrite(plant);
  await database.flush();
  return isTaken ? exists(plant) : ADDED;
}

/** The ids of the batches in flight, each in the order in which it locks the rows. */
const locked = new WeakMap<Database, Set<readonly bigint[]>>();

function isCrossing(ids: readonly bigint[], others: readonly bigint[]): boolean {
  const common = ids.filter((id) => others.includes(id));
  const [first, last] = [common[0], common.at(-1)];
  return first !== undefined && last !== undefined && others.indexOf(first) > others.indexOf(last);
}
