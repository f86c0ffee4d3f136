export { postgresCapabilities } from './capabilities.ts';
export { distributePostgres } from './distribute.ts';
export { type MigrationState, migratePostgres, postgresMigrationStatus } from './migrations.ts';
export { DEFAULT_ANSWER_WITHIN_MS, type PostgresOptions } from './options.ts';
export { postgresExport } from './export.ts';
export { openPostgres } from './store.ts';
