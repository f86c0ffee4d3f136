export { sqliteCapabilities } from './capabilities.ts';
export { type MigrationState, migrateSqlite, sqliteMigrationStatus } from './migrations.ts';
export { DEFAULT_ANSWER_WITHIN_MS, type SqliteOptions } from './options.ts';
export { sqliteExport } from './export.ts';
export { openSqlite } from './store.ts';
