import type { PlantExport } from '@plant-store/domain';
import type { PreparedStore, StoreHarness } from './store-harness.ts';

/** What the author of a storage adapter with an export supplies. */
export interface ExportHarness extends StoreHarness {
  prepare(): Promise<PreparedExport>;
}

/** An empty place for plants that can be exported. */
export interface PreparedExport extends PreparedStore {
  export(): PlantExport;
}
