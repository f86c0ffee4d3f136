import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { ADDED, type ModelStore, type StoreMutation, TIMEOUT_MS } from '../model/model-store.ts';
import { Pool } from './pool.ts';

/** Break PR-12, PR-13 and PR-19, which are about outages, and PR-20: an error shows no text of the plant. */
export const outages: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: when it throws, what, and whether.
  'PR-12': {
    'has ten connections, and waits for a free one as long as it takes': ({ enqueue, snapshot }, store) => {
      const pool = new Pool(10);
      return {
        async add(plant) {
          store.assertOpen();
          const asked = snapshot(plant);
          await pool.take();
          return store.withTimeout(enqueue(asked)).finally(() => pool.release());
        },
      };
    },
    'throws an error of its driver': failing(async () => {
      throw new Error('timeout exceeded when trying to connect');
    }),
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
    'never releases a connection that timed out': ({ enqueue, withTimeout }) => {
      const pool = new Pool(10);
      return {
        async enqueue(plant) {
          await pool.take();
          const result = enqueue(plant);
          const release = () => pool.release();
          withTimeout(result).then(release, (error) => error instanceof StoreUnavailable || release());
          return result;
        },
      };
    },
    'returns a result that was late to the next caller': ({ enqueue }, { database }) => {
      const asking = new Set<PromiseWithResolvers<AddResult>>();
      const next = () => {
        const [first] = asking;
        if (first) asking.delete(first);
        return first;
      };
      return {
        enqueue(plant) {
          const question = Promise.withResolvers<AddResult>();
          asking.add(question);
          void database.sleep(TIMEOUT_MS).then(() => asking.delete(question));
          enqueue(plant).then(
            (result) => next()?.resolve(result),
            (error) => next()?.reject(error),
          );
          return question.promise;
        },
      };
    },
    'queues adds that fail in an outage, and writes them afterwards over what was added since': (
      { add, snapshot },
      { database, connection },
    ) => ({
      async add(plant) {
        const { outage } = database;
        if (!outage) return add(plant);
        const queued = snapshot(plant);
        void outage
          .then(() => database.sleep(500))
          .then(() => connection.overwrite(queued))
          .then(() => connection.flush())
          .catch(() => {});
        throw new StoreUnavailable('the database is out of reach');
      },
    }),
  },
  'PR-19': {
    'connects when it is opened, for as long as it takes': (_, { connection }) => ({ open: () => connection.reach() }),
    'stays useless if it was opened in an outage': ({ close }, { database }) => ({
      open: async () => (database.outage ? close() : undefined),
    }),
  },
  // More than two: a rejected plant, an outage, a store that is closed.
  'PR-20': {
    'throws what the database says of a rejected plant, with the failing row as its detail': ({ reject }) => ({
      async reject(batch, reason) {
        const results = await reject(batch, reason);
        const detail = `Failing row contains (${Object.values(batch[0] ?? {})})`;
        if (batch.length === 1) Object.assign(reason as Error, { detail });
        return results;
      },
    }),
    'keeps the parameters of a statement that failed, in the cause': failing(async (_store, { id, name, tag }) => {
      const cause = Object.assign(new Error('statement timeout'), { parameters: [id, name, tag] });
      throw new StoreUnavailable('no answer', { cause });
    }),
    'says which plant came too late when it is closed': ({ add }, store) => ({
      async add(plant) {
        if (store.closed) throw new StoreUnavailable(`the store is closed, ${plant.tag} came too late`);
        return add(plant);
      },
    }),
  },
});

/** A store that has a way of its own to fail in an outage. */
function failing(fail: (store: ModelStore, plant: NewPlant, error: unknown) => Promise<never>): StoreMutation {
  return ({ add }, store) => ({
    add: (plant) =>
      add(plant).catch((error) => {
        if (store.database.outage) return fail(store, plant, error);
        throw error;
      }),
  });
}
