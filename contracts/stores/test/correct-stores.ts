import { type AddResult, type PortError, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import { ADDED, type StoreMutation } from '../src/model/model-store.ts';
import { closingLate } from '../src/repository/observer.ts';

/** Correct stores. A clause that demands too much would fail one of them. */
export const correctStores: Readonly<Record<string, StoreMutation>> = {
  'writes plants that arrive together in one statement': () => ({}),
  'writes each plant in a transaction of its own': ({ exists }, { database }) => ({
    async enqueue(plant) {
      await database.roundTrip();
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
  'throws errors of another copy of domain': ({ add, check, open }) => {
    const another = ({ message, code }: PortError) => Promise.reject(Object.assign(new Error(message), { code }));
    return {
      add: (plant) => add(plant).catch(another),
      check: () => check().catch(another),
      open: () => open().catch(another),
    };
  },
  'returns frozen plants': ({ toPlant }) => ({ toPlant: (...plants) => Object.freeze(toPlant(...plants)) }),
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
  'notices only by a failing add that a connection was lost in an outage, and drops it': ({ add }, store) => {
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
  'has two circuits, one of which closes three seconds after the other': closingLate(3_000),
  'throws StoreUnavailable if it is opened in an outage': ({ open }, { database }) => ({
    async open() {
      if (database.outage) throw new StoreUnavailable('connect ECONNREFUSED');
      await open();
    },
  }),
  'checks its database at most once a second before adds, and before each add until it is suitable': (
    { assertSuitable },
    { database },
  ) => {
    let isChecked = false;
    return {
      assertSuitable(before) {
        if (before === 'add' && isChecked && database.fault === 'changes plants') return;
        isChecked = false;
        assertSuitable(before);
        isChecked = true;
        void database.sleep(1_000).then(() => (isChecked = false));
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
      finishPending: () => Promise.allSettled(written),
    };
  },
};
