import { mutate, type Tools } from '@plant-store/contracts-kit';
import type { NewPlant } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/store-kit';
import { Acknowledged, addTwice } from '../../src/crash/add-twice.ts';
import type { PreparedStore, StoreHarness } from '../../src/index.ts';
import { Database } from './database.ts';
import { ModelStore, type StoreMutation, TIMEOUT_MS } from './model-store.ts';

/** The harness of a model, with every capability. */
export interface ModelHarness extends StoreHarness {
  prepare(): Promise<PreparedStore & { readonly database: Database }>;
}

/** Makes the harness of the model store, with a mutation. */
export function modelHarness(mutation: StoreMutation, tools: Tools): ModelHarness {
  return {
    capabilities: {
      durable: true,
      survivesCrash: true,
      survivesServerCrash: true,
      shared: true,
      external: true,
      observed: true,
      timeoutMs: TIMEOUT_MS,
    },
    async prepare() {
      const database = new Database(tools);
      let isOpened = false;
      const open = async (observer?: StoreObserver, on = database) => {
        isOpened = true;
        const store = mutate(new ModelStore(on), mutation);
        if (observer) store.observe(observer);
        await store.open();
        return store;
      };
      return {
        database,
        open,
        dispose: async () => {},
        async refusedPlant() {
          // An engine may have an exclusive lock.
          if (isOpened) throw new Error('a store has been opened');
          database.refusedIds.add(13n);
          return { id: 13n, name: 'Impatiens glandulifera', tag: 'invasive' };
        },
        addUntilKilled: async (plants) => addUntilKilled(database, (await open()).plants, plants, tools),
        killServer: async () => {
          // In the middle of a round trip.
          await tools.sleep(0.5);
          return database.crash();
        },
        failCommits: () => database.startFault({ isDiskFull: true }),
        makeUnsafe: () => database.startFault({ fault: 'changes plants' }),
        refuseAll: () => database.startFault({ fault: 'refuses plants' }),
        openMisconfigured: () => open(undefined, Object.assign(new Database(tools), { fault: 'does not exist' })),
        startOutage: async () => database.startOutage(),
      };
    },
  };
}

/** Does what addInKilledProcess does. The server is killed with the process, so that calls in flight end. */
async function addUntilKilled(
  database: Database,
  store: ModelStore['plants'],
  plants: readonly NewPlant[],
  tools: Tools,
): Promise<readonly NewPlant[]> {
  const acknowledged = new Acknowledged<NewPlant>();
  const addAll = async () => {
    for (const [at, plant] of plants.entries()) {
      const add = () => store.add(plant);
      await addTwice([add, add], at % 2, tools, async (isEarly) => acknowledged.add(plant, isEarly));
    }
  };
  await Promise.race([acknowledged.enough, addAll()]);
  const start = await database.crash();
  await start();
  return [...acknowledged.all];
}
