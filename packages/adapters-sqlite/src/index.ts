export type { MigrationStatus } from '@plant-store/store-kit';
export { sqliteCapabilities } from './capabilities.ts';
export { sqliteExport } from './export.ts';
export { migrateSqlite, sqliteMigrationStatus } from './migrations.ts';
export type { SqliteOptions } from './options.ts';
export { openSqlite } from './store.ts';
