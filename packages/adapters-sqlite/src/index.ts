export type { MigrationState } from '@plant-store/sql-store';
export { sqliteCapabilities } from './capabilities.ts';
export { sqliteExport } from './export.ts';
export { migrateSqlite, sqliteMigrationStatus } from './migrations.ts';
export type { SqliteOptions } from './options.ts';
export { openSqlite } from './store.ts';
