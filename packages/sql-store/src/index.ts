export { type KeptConnections, keptConnections } from './kept-connections.ts';
export type { Limit } from './limits.ts';
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
export { type SharedTimeout, sharedTimeout } from './shared-timeout.ts';
