export { acquireMigrationLock, type MigrationLock, withoutMigrationLock } from './migration-lock.ts';
export { MIGRATION_TABLE, type MigrationState } from './migration-state.ts';
export {
  type Callbacks,
  type CompleteServerOptions,
  completeCallbacks,
  completeServerOptions,
  type ServerOptions,
  serverLimits,
} from './options.ts';
export { openPlantStore, type PlantEngine, plantStoreOf, plants } from './plants.ts';
export { serverCapabilities } from './server/capabilities.ts';
export { type ServerStatements, serverEngine } from './server/engine.ts';
export { NOT_MIGRATED, serverErrors } from './server/errors.ts';
export { type SharedTimeout, sharedTimeout } from './server/shared-timeout.ts';
export { type ConnectionFigures, type StoreObserver, unobserved } from './store-observer.ts';
export {
  type AnyResult,
  type Column,
  type Columns,
  double,
  int64,
  type NamedColumn,
  optional,
  type Row,
  type Table,
  type Tables,
  table,
  text,
  valueIn,
} from './table.ts';
export { openTableStore, type TableStore, type TableStoreOptions, UnsafeStore, withTimeout } from './table-store.ts';
