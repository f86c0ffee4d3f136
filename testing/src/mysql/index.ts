export { freshDatabase, onServer } from './fresh-database.ts';
export { ownServer } from './installed-server.ts';
export { runSql } from './run-sql.ts';
