export { backends, freshDatabase, openTransaction, runSql } from './database.ts';
export { ownServer, startDedicatedServer } from './embedded-server.ts';
