import type { AddResult, PlantStore } from '@plant-store/domain';

/** Where plants are kept. */
export interface NewEngineOptions {
  /** The place, as an operator writes it into `DATABASE_URL`: `new-engine:…`. */
  readonly url: string;
}

/** Opens a store that keeps plants in NewEngine. */
export async function openNewEngine(_options: NewEngineOptions): Promise<PlantStore> {
  return {
    plants: {
      async add(): Promise<AddResult> {
        throw notImplemented('add: store the plant unless its id is taken, and answer with what has the id');
      },
    },
    async check() {
      throw notImplemented('check: resolve if an add could be answered now, throw StoreUnavailable if not');
    },
    async close() {
      throw notImplemented('close: let the adds in flight finish, then free what the store holds');
    },
  };
}

/** Not StoreUnavailable, which some clauses ask for: what is missing must not pass for a promise that is kept. */
function notImplemented(what: string): Error {
  return new Error(`packages/adapters-new-engine/src/new-engine-store.ts does not implement ${what}`);
}
