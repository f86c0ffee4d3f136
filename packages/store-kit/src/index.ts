export { describeCodes, type ErrorRow, type StoreErrors, storeErrors } from './errors.ts';
export {
  type Callbacks,
  type CompleteServerOptions,
  completeOptions,
  type ServerOptions,
  type StoreLimit,
  serverCapabilities,
  serverLimits,
} from './options.ts';
export { openPlantStore } from './plant-store.ts';
export { type Database, type PlantRow, plantColumns } from './rows.ts';
export {
  lazyStorage,
  type MigrateCommand,
  type MigrationStatus,
  type SharedStorage,
  type Storage,
  type StorageAdapter,
  type StoreOptions,
} from './storage-adapter.ts';
export { type ConnectionFigures, type StoreObserver, unobserved } from './store-observer.ts';
