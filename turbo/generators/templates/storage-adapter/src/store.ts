import type { PlantStore } from '@plant-store/domain';
import { groupCommitStore, type InsertResult, type StorageEngine } from '@plant-store/group-commit';
import type { NewEngineOptions } from './options.ts';

/**
 * Opens a store that keeps plants in NewEngine. What an add waits for, for how long, and what is retried is
 * group-commit's; here stands what NewEngine has to do.
 *
 * @throws {RangeError} when an option is out of its range.
 */
export async function openNewEngine(options: NewEngineOptions): Promise<PlantStore> {
  return groupCommitStore(engineAt(options), options, options.observer);
}

function engineAt(_options: NewEngineOptions): StorageEngine {
  return {
    async insertBatch(_plants): Promise<readonly InsertResult[]> {
      throw notImplemented('insertBatch: store the plants whose ids are free, and return what came of each');
    },
    async probe() {
      throw notImplemented('probe: resolve if a plant could be stored now, throw StoreUnavailable if not');
    },
    async close() {
      throw notImplemented('close: free what the store holds');
    },
    // A lost connection, say, where the next attempt makes a new one.
    isTransient: () => false,
  };
}

/** Not StoreUnavailable, which some clauses ask for: what is missing must not pass for a promise that is kept. */
function notImplemented(what: string): Error {
  return new Error(`packages/adapters-new-engine/src/store.ts does not implement ${what}`);
}
