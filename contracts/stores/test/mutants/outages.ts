import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { ADDED, type StoreMutation } from '../model/model-store.ts';

/** Break PR-12, PR-13 and PR-19, which are about outages, and PR-20: an error shows no text of the plant. */
export const outages: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: when it throws, what, and whether.
  'PR-12': {
    'has ten connections, and waits for a free one as long as it takes': ({ add }, store) => ({
      async add(plant) {
        const asked = { ...plant };
        while (store.used === 10) await store.database.sleep(1);
        store.used += 1;
        return add(asked).finally(() => (store.used -= 1));
      },
    }),
    'throws an error of its driver': failing(() => new Error('timeout exceeded when trying to connect')),
    'returns `added` in an outage, and stores the plant after it': ({ add }, { database }) => ({
      add(plant) {
        const result = add(plant);
        if (!database.outage) return result;
        result.catch(() => {});
        return Promise.resolve(ADDED);
      },
    }),
  },
  // More than two: it recovers, with its own results, and writes nothing late.
  'PR-13': {
    'never releases a connection with which an add failed': ({ withTimeout, enqueue }, store) => ({
      async enqueue(plant) {
        const result = await store.take().then(() => withTimeout(enqueue(plant)));
        store.used -= 1;
        return result;
      },
    }),
    'returns each result to the next caller once one was late': ({ enqueue }, { database }) => {
      let late: Promise<AddResult> | undefined;
      return {
        enqueue(plant) {
          const result = enqueue(plant);
          const returned = late ?? result;
          if (database.outage || late) late = result;
          return returned;
        },
      };
    },
    'queues adds that fail in an outage, and writes them afterwards over what was added since': (
      { add },
      { database },
    ) => ({
      async add(plant) {
        if (!database.outage) return add(plant);
        void database.outage.then(() => database.sleep(500)).then(() => database.overwrite(plant));
        throw new StoreUnavailable('the database is out of reach');
      },
    }),
  },
  'PR-19': {
    'connects when it is opened, for as long as it takes': (_, { database }) => ({ open: () => database.reach() }),
    'stays useless if it was opened in an outage': ({ close }, { database }) => ({
      open: async () => (database.outage ? close() : undefined),
    }),
  },
  // More than two: a rejected plant, an outage, a store that is closed.
  'PR-20': {
    'throws what the database says of a rejected plant, with the failing row as its detail': ({ reject }) => ({
      reject(batch, reason) {
        const detail = `Failing row contains (${Object.values(batch[0] ?? {})})`;
        return reject(batch, batch.length > 1 ? reason : Object.assign(reason, { detail }));
      },
    }),
    'keeps the parameters of a statement that failed, in the cause': failing(({ id, name, tag }) => {
      const cause = Object.assign(new Error('statement timeout'), { parameters: [id, name, tag] });
      return new StoreUnavailable('no answer', { cause });
    }),
    'says which plant came too late when it is closed': ({ add }, store) => ({
      async add(plant) {
        if (store.closed) throw new StoreUnavailable(`the store is closed, ${plant.tag} came too late`);
        return add(plant);
      },
    }),
  },
});

/** A store that has an error of its own in an outage. */
function failing(errorFor: (plant: NewPlant) => Error): StoreMutation {
  return ({ add }, { database }) => ({
    add: (plant) =>
      add(plant).catch((error) => {
        throw database.outage ? errorFor(plant) : error;
      }),
  });
}
