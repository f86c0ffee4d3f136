import { type AddResult, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/store-kit';
import { ADDED, type StoreMutation } from '../model/model-store.ts';
import { batching } from './batching.ts';
import { methodsOf } from './observers.ts';

/** Stores that pass every clause, each in a way that a clause which demands too much would fail. */
export const correctStores: readonly (readonly [does: string, mutation: StoreMutation])[] =
  Object.entries<StoreMutation>({
    'writes plants that arrive together in one statement': () => ({}),
    'writes each plant in a transaction of its own': ({ exists }, { connection }) => ({
      async enqueue(plant) {
        await connection.reach();
        const inserted = connection.insert([plant]);
        const result = inserted.size > 0 ? ADDED : exists(plant);
        await connection.flush();
        return result;
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
    'batches adds, and checks which ids are free before it writes, one batch after the other': (correct, store) => {
      const { commit, ...others } = batching(correct, store) as typeof correct;
      let last: Promise<unknown> = Promise.resolve();
      return {
        ...others,
        commit(batch) {
          const turn = last.then(() => commit(batch));
          last = turn.catch(() => {});
          return turn;
        },
      };
    },
    'returns frozen plants': ({ returned }) => ({ returned: (...plants) => Object.freeze(returned(...plants)) }),
    'attempts nothing for two seconds after a failure': ({ add }, store) => {
      let pause: Promise<void> | undefined;
      return {
        async add(plant) {
          if (pause && !store.closed) throw new StoreUnavailable('the circuit is open');
          return add(plant).catch((error) => {
            if (store.database.outage)
              pause ??= store.database.sleep(2_000).then(() => {
                pause = undefined;
              });
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
    'has a part whose circuit closes seconds after that of the part which the plant belongs to': (
      { observe },
      { database },
    ) => ({
      observe(observer) {
        let failures = 0;
        let isOpen = false;
        const tell = (state: 'open' | 'closed') => {
          if (state === 'closed' || !isOpen) observer.circuit(state);
          isOpen = state === 'open';
        };
        const circuit: StoreObserver['circuit'] = (state) => {
          if (state === 'open') failures += 1;
          if (state === 'open' || !isOpen) return tell(state);
          const before = failures;
          void database.sleep(3_000).then(() => failures === before && tell('closed'));
        };
        observe({ ...methodsOf(observer), circuit });
      },
    }),
    'cannot be opened in an outage, and says so': ({ open }, { database }) => ({
      async open() {
        if (database.outage) throw new StoreUnavailable('connect ECONNREFUSED');
        await open();
      },
    }),
    'looks at its database when it is opened and checked, and until that finds it fit': (
      { assertFit, open, check },
      { database },
    ) => {
      let isFit = false;
      const looking = (call: () => Promise<void>) => async () => {
        isFit = false;
        await call();
        isFit = true;
      };
      return {
        assertFit: () => (isFit && database.fault === 'changes plants') || assertFit(),
        open: looking(open),
        check: looking(check),
      };
    },
    'resolves close after the last write, and the add of that write a moment later': ({ enqueue }, store) => {
      const written = new Set<Promise<AddResult>>();
      return {
        async enqueue(plant) {
          const writing = enqueue(plant);
          written.add(writing);
          const result = await writing;
          for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
          return result;
        },
        async close() {
          store.closed = true;
          await Promise.allSettled(written);
        },
      };
    },
  });
