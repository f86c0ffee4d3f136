export { type KeptConnections, keptConnections } from './kept-connections.ts';
export { acquireMigrationLock, asciiQuoted, type PolledLock, withoutMigrationLock } from './migration-lock.ts';
export { MIGRATION_TABLE, type MigrationState } from './migration-state.ts';
export {
  type Callbacks,
  type CompleteServerOptions,
  completeCallbacks,
  completeServerOptions,
  type ServerOptions,
  serverLimits,
} from './options.ts';
export {
  added,
  exists,
  openPlantStore,
  type PlantEngine,
  type PlantStoreOptions,
  UnsafeStore,
  withTimeout,
} from './plant-store.ts';
export { plants } from './plants.ts';
export { type SharedTimeout, sharedTimeout } from './shared-timeout.ts';
export {
  type Column,
  type Columns,
  double,
  int64,
  optional,
  type Row,
  type Table,
  type Tables,
  table,
  text,
} from './table.ts';
export { unobserved } from './unobserved.ts';
