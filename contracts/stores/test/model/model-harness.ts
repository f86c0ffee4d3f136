import { mutate, type Tools } from '@plant-store/contracts-kit';
import type { NewPlant } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/store-kit';
import { addTwice } from '../../src/crash/add-twice.ts';
import type { PreparedStore, StoreHarness } from '../../src/index.ts';
import { Database } from './database.ts';
import { ModelStore, type StoreMutation, TIMEOUT_MS } from './model-store.ts';

/** What the contract is run against, with every capability. */
export interface ModelHarness extends StoreHarness {
  prepare(): Promise<PreparedStore & { readonly database: Database }>;
}

/** The model store, or one that gets a step of it wrong. */
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
          database.rejected.add(13n);
          return { id: 13n, name: 'Impatiens glandulifera', tag: 'invasive' };
        },
        addUntilKilled: async (plants) => addUntilKilled(database, (await open()).plants, plants, tools),
        killServer: async () => {
          // In the middle of a round trip.
          await tools.sleep(0.5);
          return database.crashServer();
        },
        failCommits: () => database.begin({ isFull: true }),
        spoil: () => database.begin({ fault: 'changes plants' }),
        refuseAll: () => database.begin({ fault: 'rejects plants' }),
        openMisconfigured: () => open(undefined, Object.assign(new Database(tools), { fault: 'does not exist' })),
        startOutage: async () => database.startOutage(),
      };
    },
  };
}

/** As a process does that `addPlantsWith` runs in. */
async function addUntilKilled(
  database: Database,
  store: ModelStore['plants'],
  plants: readonly NewPlant[],
  tools: Tools,
): Promise<readonly NewPlant[]> {
  const acknowledged = new Set<NewPlant>();
  const killed = Promise.withResolvers<void>();
  const addAll = async () => {
    for (const [at, plant] of plants.entries()) {
      const add = async () => (database.crashes > 0 ? new Promise<never>(() => {}) : store.add(plant));
      await addTwice([add, add], at % 2, tools, async (isEarly) => {
        acknowledged.add(plant);
        if (acknowledged.size >= (isEarly ? 10 : 20)) killed.resolve();
      });
    }
  };
  await Promise.race([killed.promise, addAll()]);
  database.crash();
  return [...acknowledged];
}
