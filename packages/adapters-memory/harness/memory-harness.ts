import type { StoreHarness } from '@plant-store/contracts-stores';
import { StoreUnavailable } from '@plant-store/domain';
import { memoryCapabilities } from '../src/capabilities.ts';
import { type MemoryStore, openMemory } from '../src/store.ts';

/** Runs the contracts on a new memory store for each place. */
export function storeHarness(): StoreHarness {
  return {
    capabilities: memoryCapabilities,
    scratchLocation: 'memory of its own',
    async prepare() {
      let latest: MemoryStore | undefined;
      return {
        open: async () => (latest = openMemory()),
        dispose: async () => {},
        export() {
          if (!latest) throw new StoreUnavailable('no store has been opened');
          return latest;
        },
      };
    },
  };
}
