import { mutate, type Tools } from '@plant-store/contracts-kit';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/store-kit';
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
      const open = async (observer?: StoreObserver, on = database) => {
        const store = mutate(new ModelStore(on), mutation);
        if (observer) store.observe(observer);
        await store.open();
        return store;
      };
      return {
        database,
        open,
        dispose: async () => {},
        refusedPlant: async () => reject(database, { id: 13n, name: 'Impatiens glandulifera', tag: 'invasive' }),
        addUntilKilled: async (plants) => addUntilKilled(database, await open(), plants, tools),
        killServer: async () => {
          // In the middle of a round trip.
          await tools.sleep(0.5);
          return database.crashServer();
        },
        failCommits: async () => {
          database.isFull = true;
          return async () => {
            database.isFull = false;
          };
        },
        spoil: async () => database.startFault('changes plants'),
        refuseAll: async () => database.startFault('rejects plants'),
        openMisconfigured: () => open(undefined, Object.assign(new Database(tools), { fault: 'does not exist' })),
        startOutage: async () => database.startOutage(),
      };
    },
  };
}

function reject(database: Database, plant: NewPlant): NewPlant {
  database.rejected.add(plant.id);
  return plant;
}

async function addUntilKilled(
  database: Database,
  { plants: store }: PlantStore,
  plants: readonly NewPlant[],
  tools: Tools,
): Promise<readonly NewPlant[]> {
  const acknowledged: NewPlant[] = [];
  for (const [at, plant] of plants.slice(0, PLENTY).entries()) {
    let isAdded = false;
    const first = store.add(plant).finally(() => {
      isAdded = true;
    });
    const second = at % 2 === 0 ? store.add(plant) : tools.sleep(1).then(() => store.add(plant));
    await Promise.any([first, second]);
    acknowledged.push(plant);
    // The best moment, as in a real process.
    if (!isAdded && acknowledged.length >= ENOUGH) break;
  }
  database.crash();
  return acknowledged;
}

const ENOUGH = 10;
const PLENTY = 20;
