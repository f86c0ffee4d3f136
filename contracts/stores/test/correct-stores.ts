import { type AddResult, type PortError, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import type { ModelStore, StoreMutation } from '../src/model/model-store.ts';

/** Correct stores. A clause that demands too much would fail one of them. */
export const correctStores: Readonly<Record<string, StoreMutation>> = {
  'writes plants that arrive together in one statement': () => ({}),
  'writes each plant in a transaction of its own': ({ write }) => ({
    async enqueue(plant) {
      const [outcome] = await write([plant]);
      return outcome instanceof Error ? Promise.reject(outcome) : (outcome as AddResult);
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
  'throws StoreUnavailable if it is opened in an outage': ({ open }, { database }) => ({
    async open() {
      if (database.outage) throw new StoreUnavailable('connect ECONNREFUSED');
      await open();
    },
  }),
  'looks at its database once a second while plants arrive, and says in check what it last saw': watching,
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

/** Adds throw at once while the latest look has failed. Without adds it looks every ten seconds, and after a failure every second. */
function watching({ add, check, assertFit, assertOpen }: Steps, store: ModelStore): ReturnType<StoreMutation> {
  const { sleep } = store.database;
  const state = { looks: 0, isStale: true, isOld: true, failure: undefined as unknown };
  async function look(): Promise<void> {
    state.looks += 1;
    Object.assign(state, { isStale: false, isOld: false });
    state.failure = await check().catch((error) => error);
    void keepLooking(state.looks);
  }
  async function keepLooking(looks: number): Promise<void> {
    await sleep(1_000);
    if (looks !== state.looks) return;
    state.isStale = true;
    if (state.failure && !store.closed) return look();
    await sleep(9_000);
    if (looks === state.looks) state.isOld = true;
  }
  return {
    assertFit: (before) => before === 'add' || assertFit(before),
    async add(plant) {
      assertOpen('add');
      if (state.isStale) void look();
      if (state.failure) throw state.failure;
      return add(plant);
    },
    async check() {
      assertOpen('check');
      if (state.isOld) await look();
      if (state.failure) throw state.failure;
    },
  };
}

type Steps = Parameters<StoreMutation>[0];
