export type { MigrationState } from '@plant-store/sql-store';
export { serverCapabilities as postgresCapabilities } from '@plant-store/sql-store';
export { exportTable, postgresExport } from './export.ts';
export { migratePostgres, postgresMigrationStatus } from './migrations.ts';
export type { PostgresOptions } from './options.ts';
export { openPostgres, openTable } from './store.ts';
