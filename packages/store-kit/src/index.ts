export { type ErrorRow, NOT_MIGRATED, type StoreErrors, storeErrors } from './errors.ts';
export { type KnownTable, knownTable } from './known-table.ts';
export { isMigrated, MIGRATION_TABLE, type MigrationStatus, migrationFiles } from './migrations.ts';
export {
  type Callbacks,
  type CompleteServerOptions,
  completeCallbacks,
  completeServerOptions,
  type LimitSetting,
  type ServerOptions,
  type StoreLimit,
  serverCapabilities,
  serverLimits,
  storeLimits,
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
export type {
  MigrateCommand,
  StorageAdapter,
  StoreAt,
  StoreOptions,
} from './storage-adapter.ts';
export { type ConnectionFigures, type StoreObserver, unobserved } from './store-observer.ts';
export {
  adoptedTableMessage,
  type Column,
  columnFaults,
  foreignTableMessage,
  unfitTableMessage,
} from './table-shape.ts';
