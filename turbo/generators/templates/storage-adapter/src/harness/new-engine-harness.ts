import { join } from 'node:path';
import { adapterHarness, type ScratchPlace, type ServerFaults, type StoreHarness } from '@plant-store/contracts-stores';
import { newEngineCapabilities } from '../capabilities.ts';
import { migrateNewEngine } from '../migrations.ts';
import type { NewEngineOptions } from '../options.ts';
import { openNewEngine } from '../store.ts';

/**
 * NewEngine in scratch places beside the one at the URL, which is left alone: it may be in production.
 *
 * @param killServer for a server that is the test's to kill; see `PreparedStore`.
 */
export function newEngineHarness(beside: string, killServer?: ServerFaults['killServer']): StoreHarness {
  return adapterHarness({
    capabilities: newEngineCapabilities,
    scratch: () => emptyPlace(beside),
    migrate: migrateNewEngine,
    open: openNewEngine,
    addPlants: join(import.meta.dirname, 'add-plants'),
    async refuse() {
      throw notImplemented(
        'refuse: set the place up to refuse the plant; delete it where nothing is refused, and name PR-16 in test/contract.test.ts',
      );
    },
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
  });
}

async function emptyPlace(_beside: string): Promise<ScratchPlace<NewEngineOptions>> {
  throw notImplemented(
    'scratch: make an empty place beside the given one, another one each time (a directory, a schema, a prefix of the keys), with the options to open it and how to drop it',
  );
}

function notImplemented(what: string): Error {
  return new Error(`packages/adapters-new-engine/src/harness/new-engine-harness.ts does not implement ${what}`);
}
