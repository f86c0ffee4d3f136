export type { OpenSqlDatabase, SqlDatabase } from './database.ts';
export { sqlStorage } from './storage.ts';
