export { newEngineCapabilities } from './capabilities.ts';
export { type MigrationState, migrateNewEngine, newEngineMigrationStatus } from './migrations.ts';
export type { NewEngineOptions } from './options.ts';
export { openNewEngine } from './store.ts';
