export type { MigrationState } from '@plant-store/sql-store';
export { sqliteCapabilities } from './capabilities.ts';
export { exportTable, sqliteExport } from './export.ts';
export { migrateSqlite, sqliteMigrationStatus } from './migrations.ts';
export type { SqliteOptions } from './options.ts';
export { openSqlite, openTable } from './store.ts';
