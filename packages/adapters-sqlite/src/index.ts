export { type SqliteOptions, sqliteCapabilities, sqliteStorage } from './store.ts';
