export type { MigrationState } from '@plant-store/group-commit';
export { newEngineCapabilities } from './capabilities.ts';
export { migrateNewEngine, newEngineMigrationStatus } from './migrations.ts';
export type { NewEngineOptions } from './options.ts';
export { openNewEngine } from './store.ts';
