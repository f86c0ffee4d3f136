import { mutate, type Tools } from '@plant-store/contracts-kit';
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
      timeoutMs: TIMEOUT_MS,
    },
    async prepare() {
      const database = new Database(tools);
      const stores: ModelStore[] = [];
      const open = async () => {
        const store = mutate(new ModelStore(database), mutation);
        await store.open();
        stores.push(store);
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
        async refuse({ id }) {
          // An engine may have an exclusive lock.
          if (stores.some(({ closed }) => !closed)) throw new Error('a store is open');
          database.refusedIds.add(id);
        },
        openInProcess: async () => Object.assign(await open(), { kill: () => database.crash().then(startLater) }),
        killServer: kill,
        failCommits: () => database.startFault({ isDiskFull: true }),
        faults: {
          'it loses commits': () => database.startFault({ fault: 'loses commits' }),
          'it refuses all plants': () => database.startFault({ fault: 'refuses plants' }),
        },
        startOutage: async () => database.startOutage(),
        export: () => new ModelExport(database),
      };
    },
  };
}
