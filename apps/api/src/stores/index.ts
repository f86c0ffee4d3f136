export type { MigrationStatus, StoreAt, StoreLimits } from './engine.ts';
export { openStore } from './open-store.ts';
export {
  checkDatabaseUrl,
  databaseUrlForms,
  exportUrlForms,
  isDatabaseUrl,
  isPlaceOnThisMachine,
  isShared,
  sampleUrls,
  scratchPlaces,
  storeAt,
} from './store-at.ts';
