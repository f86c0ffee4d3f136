export { serverCapabilities as postgresCapabilities } from '@plant-store/store-kit';
export { postgresExport } from './export.ts';
export { migratePostgres, postgresMigrationStatus } from './migrations.ts';
export type { PostgresOptions } from './options.ts';
export { openPostgres } from './store.ts';
