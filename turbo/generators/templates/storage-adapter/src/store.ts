import type { PlantStore } from '@plant-store/domain';
import { openPlantStore, type PlantEngine, unobserved } from '@plant-store/sql-store';
import type { NewEngineOptions } from './options.ts';

/**
 * Opens a store that keeps plants in NewEngine. Queues, deadlines and retries are group-commit's; here is what the
 * engine has to do.
 *
 * @throws {RangeError} when an option is out of its range.
 */
export async function openNewEngine(options: NewEngineOptions): Promise<PlantStore> {
  return openPlantStore(engineAt(options), { observer: unobserved, ...options });
}

function engineAt(_options: NewEngineOptions): PlantEngine {
  return {
    async write(_plants) {
      throw notImplemented('write: store the plants whose ids are free, and return the outcome of each');
    },
    async probe() {
      throw notImplemented('probe: resolve if a plant could be stored now, throw StoreUnavailable if not');
    },
    async close() {
      throw notImplemented('close: free what the store holds');
    },
    // True for a lost connection, for example: the next attempt makes a new one.
    isTransient: () => false,
  };
}

/** Not StoreUnavailable, which some clauses expect: what is missing must not pass for what is implemented. */
function notImplemented(what: string): Error {
  return new Error(`packages/adapters-new-engine/src/store.ts does not implement ${what}`);
}
