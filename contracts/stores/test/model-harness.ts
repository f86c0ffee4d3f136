import { mutate, type Tools } from '@plant-store/contracts-kit';
import type { StoreObserver } from '@plant-store/store-kit';
import { ModelExport } from '../src/export/model-export.ts';
import { Database } from '../src/model/database.ts';
import { ModelStore, type StoreMutation, TIMEOUT_MS } from '../src/model/model-store.ts';
import type { EndFault, PreparedStore, StoreHarness } from '../src/store-harness.ts';

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
      unsafeAddsForMs: 1_000,
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
      const kill = async () => {
        // In the middle of a round trip.
        await tools.sleep(0.5);
        return database.crash();
      };
      // A killed process does nothing more: here, its calls fail until it has given up.
      const startLater = (start: EndFault) => tools.sleep(100).then(start);
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
        openInProcess: async () => Object.assign(await open(), { kill: () => database.crash().then(startLater) }),
        killServer: kill,
        failCommits: () => database.startFault({ isDiskFull: true }),
        makeUnsafe: () => database.startFault({ fault: 'changes plants' }),
        refuseAll: () => database.startFault({ fault: 'refuses plants' }),
        openMisconfigured: () => open(undefined, Object.assign(new Database(tools), { fault: 'does not exist' })),
        startOutage: async () => database.startOutage(),
        export: () => new ModelExport(database),
      };
    },
  };
}
