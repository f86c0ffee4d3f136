export type { DedicatedServer } from '@plant-store/testing-servers';
export { copyOfDatabase, deletePlants, freshDatabase } from './fresh-database.ts';
export { isInstalled, startDedicatedServer, UNSYNCED } from './installed-server.ts';
export { onServer } from './on-server.ts';
export { runSql } from './run-sql.ts';
