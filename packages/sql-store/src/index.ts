export { type KeptConnections, keptConnections } from './kept-connections.ts';
export { acquireMigrationLock, asciiQuoted, type PolledLock } from './migration-lock.ts';
export type { MigrationState } from './migration-state.ts';
export { type CompleteServerOptions, completeServerOptions, type ServerOptions } from './server-options.ts';
export { type SharedTimeout, sharedTimeout } from './shared-timeout.ts';
