export { ownServer, startDedicatedServer } from './embedded-server.ts';
export { freshDatabase } from './fresh-database.ts';
export { runSql } from './run-sql.ts';
export { backends, openTransaction } from './sessions.ts';
