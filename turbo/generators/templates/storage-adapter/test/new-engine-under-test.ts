import { newEnginePromises, openNewEngine } from '@plant-store/adapters-new-engine';
import type { PreparedStore, StoreUnderTest } from '@plant-store/domain/contract';
import { addUntilKilled } from './add-until-killed.ts';

/** NewEngine, in places of their own. */
export const newEngineUnderTest: StoreUnderTest = {
  promises: newEnginePromises,
  async prepare(): Promise<PreparedStore> {
    // An empty place, another one each time: a directory, a schema, a prefix of the keys.
    const url = 'new-engine:';
    return {
      open: () => openNewEngine({ url }),
      async dispose() {
        throw notImplemented('dispose: free everything that prepare has made, data included');
      },
      async refusedPlant() {
        throw notImplemented(
          'refusedPlant: set the place up to refuse one valid plant, and return that; delete it where nothing is refused',
        );
      },
      addUntilKilled: (plants) => addUntilKilled(url, plants),
      async startOutage() {
        throw notImplemented(
          'startOutage: make the outside unable to answer; delete it where src/promises.ts says external: false',
        );
      },
    };
  },
};

function notImplemented(what: string): Error {
  return new Error(`packages/adapters-new-engine/test/new-engine-under-test.ts does not implement ${what}`);
}
