import { type AddResult, type PortError, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import type { StoreMutation } from '../src/model/model-store.ts';

/** Correct stores, besides those of the adapters. A clause that demands too much would fail one of them. */
export const correctStores: Readonly<Record<string, StoreMutation>> = {
  'writes plants that arrive together in one statement': () => ({}),
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
  'throws errors of another copy of domain, also if it is opened in an outage, and returns frozen plants': (
    { add, check, open, toPlant },
    { database },
  ) => {
    const another = ({ message, code }: PortError) => Promise.reject(Object.assign(new Error(message), { code }));
    const connect = () => (database.outage ? Promise.reject(new StoreUnavailable('connect ECONNREFUSED')) : open());
    return {
      add: (plant) => add(plant).catch(another),
      check: () => check().catch(another),
      open: () => connect().catch(another),
      toPlant: (...plants) => Object.freeze(toPlant(...plants)),
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
