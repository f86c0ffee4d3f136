export type { OpenSqlDatabase, SqlDatabase } from './database.ts';
export { NO_TIMEOUT } from './migrations.ts';
export { sqlStorage } from './storage.ts';
