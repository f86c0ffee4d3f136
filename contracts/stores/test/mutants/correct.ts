import { type AddResult, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import { ADDED, type StoreMutation } from '../model/model-store.ts';
import { closingLate } from './observers.ts';

/** Stores that pass every clause, each in a way that a clause which demands too much would fail. */
export const correctStores: readonly (readonly [does: string, mutation: StoreMutation])[] =
  Object.entries<StoreMutation>({
    'writes plants that arrive together in one statement': () => ({}),
    'writes each plant in a transaction of its own': ({ exists }, { database }) => ({
      async enqueue(plant) {
        await database.reach();
        const result = database.insert([plant]).size > 0 ? ADDED : exists(plant);
        await database.flush();
        return result as AddResult;
      },
    }),
    'lets 500 adds wait, and rejects more': ({ enqueue }) => {
      let waiting = 0;
      return {
        async enqueue(plant) {
          if (waiting === 500) throw new StoreOverloaded('500 adds are waiting already');
          waiting += 1;
          return enqueue(plant).finally(() => (waiting -= 1));
        },
      };
    },
    'returns frozen plants': ({ returned }) => ({ returned: (...plants) => Object.freeze(returned(...plants)) }),
    'attempts nothing for two seconds after a failure': ({ add }, store) => {
      let isOpen = false;
      return {
        async add(plant) {
          if (isOpen && !store.closed) throw new StoreUnavailable('the circuit is open');
          return add(plant).catch((error) => {
            isOpen = store.database.outage !== undefined;
            void store.database.sleep(2_000).then(() => (isOpen = false));
            throw error;
          });
        },
      };
    },
    'finds out by a failing add that a connection did not outlive an outage, and drops it': ({ add }, store) => {
      let hasDeadConnection = false;
      return {
        async add(plant) {
          if (store.database.outage) hasDeadConnection = true;
          else if (hasDeadConnection && !store.closed) {
            hasDeadConnection = false;
            throw new StoreUnavailable('Connection terminated unexpectedly');
          }
          return add(plant);
        },
      };
    },
    'has a part whose circuit closes three seconds after that of the part which the plant belongs to':
      closingLate(3_000),
    'cannot be opened in an outage, and says so': ({ open }, { database }) => ({
      async open() {
        if (database.outage) throw new StoreUnavailable('connect ECONNREFUSED');
        await open();
      },
    }),
    'looks at its database when it is opened and checked, and until that finds it fit': (
      { assertFit },
      { database },
    ) => {
      let isFit = false;
      return {
        assertFit(step) {
          if (step === 'add' && isFit && database.fault === 'changes plants') return;
          isFit = false;
          assertFit(step);
          isFit = true;
        },
      };
    },
    'resolves close after the last write, and the add of that write a moment later': ({ enqueue }) => {
      const written = new Set<Promise<AddResult>>();
      return {
        async enqueue(plant) {
          const writing = enqueue(plant);
          written.add(writing);
          await writing;
          for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
          return writing;
        },
        settled: () => Promise.allSettled(written),
      };
    },
  });
