export { freshDatabase, onServer, runSql } from './database.ts';
export { ownServer, startDedicatedServer } from './installed-server.ts';
