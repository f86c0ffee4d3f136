export { groupCommitStore } from './group-commit-store.ts';
export { type KeptConnections, keptConnections } from './kept-connections.ts';
export {
  type CompleteLimits,
  completeLimits,
  DEFAULT_TIMEOUT_MS,
  type GroupCommitLimits,
} from './limits.ts';
export { acquireMigrationLock, asciiQuoted, type PolledLock } from './migration-lock.ts';
export type { MigrationState } from './migration-state.ts';
export type { Platform } from './platform.ts';
export { type CompleteServerOptions, completeServerOptions, type ServerOptions } from './server-options.ts';
export { type SharedTimeout, sharedTimeout } from './shared-timeout.ts';
export type { InsertResult, StorageEngine } from './storage-engine.ts';
export { unobserved } from './unobserved.ts';
export { UnsafeStore } from './unsafe-store.ts';
export { withTimeout } from './with-timeout.ts';
