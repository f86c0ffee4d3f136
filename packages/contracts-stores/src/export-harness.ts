import type { PlantExport } from '@plant-store/domain';
import type { PreparedStore, StoreHarness } from './store-harness.ts';

/** What the author of a storage adapter that can be exported supplies, beside what every one does. */
export interface ExportHarness extends StoreHarness {
  prepare(): Promise<PreparedExport>;
}

/** An empty place for plants that can be exported. */
export interface PreparedExport extends PreparedStore {
  /** The export of what the stores that were opened on the place have been given. */
  export(): PlantExport;
}
