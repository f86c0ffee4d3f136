export { type SqliteOptions, sqliteCapabilities } from './options.ts';
export { sqliteStorage } from './store.ts';
