export type { BatchEngine, Done, ItemSpec, Outcome, Refused } from './batch-engine.ts';
export { type ErrorClass, type ErrorClasses, Misconfigured, Overloaded, Unavailable, Unsafe } from './errors.ts';
export type { GroupCommitEvents } from './events.ts';
export { type GroupCommit, groupCommit } from './group-commit.ts';
export { type KeptConnections, keptConnections } from './kept-connections.ts';
export {
  type CompleteLimits,
  completeLimits,
  DEFAULT_TIMEOUT_MS,
  type GroupCommitLimits,
} from './limits.ts';
export type { Messages } from './messages.ts';
export { acquireMigrationLock, asciiQuoted, type PolledLock } from './migration-lock.ts';
export type { MigrationState } from './migration-state.ts';
export {
  added,
  exists,
  openPlantStore,
  type PlantEngine,
  type PlantStoreOptions,
  UnsafeStore,
  withTimeout,
} from './plant-store.ts';
export type { Platform } from './platform.ts';
export { type CompleteServerOptions, completeServerOptions, type ServerOptions } from './server-options.ts';
export { type SharedTimeout, sharedTimeout } from './shared-timeout.ts';
export { unobserved } from './unobserved.ts';
