import type { ExportHarness, PreparedExport } from '@plant-store/contracts-stores';
import { StoreUnavailable } from '@plant-store/domain';
import { memoryCapabilities } from '../capabilities.ts';
import { type MemoryStore, openMemory } from '../store.ts';

/** Memory: every store is a place of its own, and exports what it keeps itself. */
export const memoryHarness: ExportHarness = { capabilities: memoryCapabilities, prepare };

async function prepare(): Promise<PreparedExport> {
  let latest: MemoryStore | undefined;
  return {
    open: async () => (latest = openMemory()),
    dispose: async () => {},
    export() {
      if (!latest) throw new StoreUnavailable('no store was opened on the place');
      return latest;
    },
  };
}
