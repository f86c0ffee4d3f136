import type { PlantExport } from '../plant-export.ts';
import type { PreparedStore, StoreUnderTest } from './store-under-test.ts';

/** What the author of a storage adapter that can be exported supplies, beside what every one does. */
export interface ExportUnderTest extends StoreUnderTest {
  prepare(): Promise<PreparedExport>;
}

/** An empty place for plants that can be exported. */
export interface PreparedExport extends PreparedStore {
  /** The export of what the stores that were opened on the place have been given. */
  export(): PlantExport;
}
