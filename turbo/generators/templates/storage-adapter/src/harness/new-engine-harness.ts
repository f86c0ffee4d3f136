import { join } from 'node:path';
import type { PreparedStore, StoreHarness } from '@plant-store/contracts-stores';
import { startAdder } from '@plant-store/contracts-stores/crash';
import { newEngineCapabilities } from '../capabilities.ts';
import { migrateNewEngine } from '../migrations.ts';
import { openNewEngine } from '../store.ts';

/**
 * NewEngine in scratch places beside the one at the URL, which is left alone: it may be in production.
 *
 * @param killServer for a server that is the test's to kill; see `PreparedStore`.
 */
export function newEngineHarness(beside: string, killServer?: PreparedStore['killServer']): StoreHarness {
  return { capabilities: newEngineCapabilities, prepare: () => prepare(beside, killServer) };
}

async function prepare(beside: string, killServer: PreparedStore['killServer']): Promise<PreparedStore> {
  await using resources = new AsyncDisposableStack();
  const url = emptyPlace(beside);
  resources.defer(() => {
    throw notImplemented('dispose: free everything that prepare has made, data included');
  });
  await migrateNewEngine({ url });

  const toDispose = resources.move();
  let disposing: Promise<void> | undefined;
  return {
    // A clause adds many at once: even a slow machine must not refuse some.
    open: (observer) => openNewEngine({ url, maxWaitMs: 60_000, ...(observer && { observer }) }),
    // Once: a second call waits, too.
    dispose: () => (disposing ??= toDispose.disposeAsync()),
    async refusedPlant() {
      throw notImplemented(
        'refusedPlant: set the place up to refuse one valid plant, and return that; delete it where nothing is refused, and name PR-16 in test/contract.test.ts',
      );
    },
    addUntilKilled: (plants) =>
      toDispose.use(startAdder(addPlants, { options: { url }, plants })).acknowledgedBeforeKill,
    async startOutage() {
      throw notImplemented(
        'startOutage: make the outside unable to answer; delete it where src/capabilities.ts says external: false',
      );
    },
    export() {
      throw notImplemented(
        'export: return the export of the place; delete it where there is none, and name PE-1 to PE-6 in test/contract.test.ts',
      );
    },
    ...(killServer && { killServer }),
  };
}

function emptyPlace(_beside: string): string {
  throw notImplemented(
    'prepare: make an empty place beside the given one, another one each time (a directory, a schema, a prefix of the keys), and open stores on it',
  );
}

function notImplemented(what: string): Error {
  return new Error(`packages/adapters-new-engine/src/harness/new-engine-harness.ts does not implement ${what}`);
}

/** The program that adds plants until it is killed, beside this file. */
const addPlants = join(import.meta.dirname, 'add-plants');
