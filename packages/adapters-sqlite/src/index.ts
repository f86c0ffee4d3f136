export { sqliteCapabilities } from './capabilities.ts';
export { type MigrationState, migrateSqlite, sqliteMigrationStatus } from './migrations.ts';
export { DEFAULT_ANSWER_WITHIN_MS, type SqliteOptions } from './options.ts';
export { sqliteExport } from './sqlite-export.ts';
export { openSqlite } from './sqlite-store.ts';
