export { type ErrorRow, NOT_MIGRATED, type StoreErrors, storeErrors } from './errors.ts';
export { type KnownTable, knownTable } from './known-table.ts';
export {
  type Callbacks,
  type CompleteServerOptions,
  completeCallbacks,
  completeServerOptions,
  type ServerOptions,
  serverCapabilities,
  serverLimits,
} from './options.ts';
export { openPlantStore, type PlantEngine, StoreUnsafe, withTimeout } from './plant-store.ts';
export {
  columnTypes,
  type Database,
  nullableColumns,
  type PlantRow,
  plantColumns,
  plantIn,
  rowOf,
  textsOf,
} from './rows.ts';
export {
  type Distribution,
  isMigrated,
  MIGRATION_TABLE,
  type MigrationStatus,
  type StorageAdapter,
  type StoreAt,
  type StoreLimits,
  type StoreOptions,
} from './storage-adapter.ts';
export { type ConnectionFigures, type StoreObserver, unobserved } from './store-observer.ts';
export {
  adoptedTableMessage,
  type Column,
  columnFaults,
  foreignTableMessage,
  unfitTableMessage,
} from './table-shape.ts';
