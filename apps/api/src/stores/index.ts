export type { Distribution, MigrationStatus, StoreAt, StoreLimits } from '@plant-store/store-kit';
export { sampleUrls } from './engines.ts';
export { openStore } from './open-store.ts';
export { openWhenReachable } from './open-when-reachable.ts';
export { faultOfStorageAdapter, loadStorageAdapter } from './outside-adapter.ts';
export {
  checkDatabaseUrl,
  databaseUrlForms,
  exportUrlForms,
  harnessAt,
  isDatabaseUrl,
  isPlaceOnThisMachine,
  scratchPlaces,
  storeAt,
} from './store-at.ts';
