export type { DedicatedServer } from '@plant-store/testing-servers';
export { deletePlants, freshDatabase } from './fresh-database.ts';
export { isInstalled, ownServer, startDedicatedServer } from './installed-server.ts';
export { onServer } from './on-server.ts';
export { runSql } from './run-sql.ts';
