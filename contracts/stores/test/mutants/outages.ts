import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import type { Database } from '../../src/model/database.ts';
import { ADDED, type StoreMutation } from '../../src/model/model-store.ts';

/** Break PR-12, PR-13 and PR-19 on outages, and PR-20: no error shows a text of the plant. */
export const outages: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: it hangs, throws another error, or returns.
  'PR-12': {
    'waits for one of ten connections without a time-out': ({ add }, store) => ({
      async add(plant) {
        const asked = { ...plant };
        while (store.acquired === 10) await store.database.sleep(1);
        store.acquired += 1;
        return add(asked).finally(() => (store.acquired -= 1));
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
  // More than two: it does not recover, confuses results, or writes late.
  'PR-13': {
    'never releases the connection of an add that failed': ({ withTimeout, enqueue }, store) => ({
      async enqueue(plant) {
        const result = await store.acquire().then(() => withTimeout(enqueue(plant)));
        store.acquired -= 1;
        return result;
      },
    }),
    'returns each result to the next call once one was late': ({ enqueue }, { database }) => {
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
    'queues adds that fail in an outage, and overwrites later plants with them': ({ add }, { database }) => ({
      async add(plant) {
        if (!database.outage) return add(plant);
        void database.outage.then(() => database.sleep(500)).then(() => database.overwrite(plant));
        throw new StoreUnavailable('the database is out of roundTrip');
      },
    }),
  },
  'PR-19': {
    'connects without a time-out when it is opened': (_, { database }) => ({ open: () => database.roundTrip() }),
    'never recovers if it was opened in an outage': ({ close }, { database }) => ({
      open: async () => (database.outage ? close() : undefined),
    }),
  },
  // More than two: a refused plant, each fault, and a closed store.
  'PR-20': {
    'throws an error whose detail shows the row of a refused plant': ({ retryAlone }) => ({
      retryAlone(batch, reason) {
        const detail = `Failing row contains (${Object.values(batch[0] ?? {})})`;
        return retryAlone(batch, batch.length > 1 ? reason : Object.assign(reason, { detail }));
      },
    }),
    'throws an error whose cause shows the parameters of the statement': failing(({ id, name, tag }) => {
      const cause = Object.assign(new Error('statement timeout'), { parameters: [id, name, tag] });
      return new StoreUnavailable('no answer', { cause });
    }),
    'throws an error whose cause shows the plant if all plants are refused': failing(
      ({ tag }) => new StoreUnavailable('refused', { cause: { detail: `Failing row contains (${tag})` } }),
      ({ fault }) => fault === 'refuses plants',
    ),
    'throws an error whose detail shows the plant if plants would be changed': failing(
      ({ name }) => Object.assign(new StoreUnavailable('unsafe'), { detail: `${name} would become another text` }),
      ({ fault }) => fault === 'changes plants',
    ),
    'throws an error that shows the plant when it is closed': ({ add }, store) => ({
      async add(plant) {
        if (store.closed) throw new StoreUnavailable(`the store is closed, cannot add ${plant.tag}`);
        return add(plant);
      },
    }),
  },
});

/** A store that throws this error in an outage, or while something else is wrong. */
function failing(
  errorFor: (plant: NewPlant) => Error,
  isWrong: (database: Database) => unknown = ({ outage }) => outage,
): StoreMutation {
  return ({ add }, { database }) => ({
    add: (plant) =>
      add(plant).catch((error) => {
        throw isWrong(database) ? errorFor(plant) : error;
      }),
  });
}
