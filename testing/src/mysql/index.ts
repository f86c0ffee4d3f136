export { freshDatabase, onServer } from './fresh-database.ts';
export { ownServer, startDedicatedServer } from './installed-server.ts';
export { runSql } from './run-sql.ts';
