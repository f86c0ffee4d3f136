export type { DedicatedServer } from '@plant-store/testing-servers';
export { deletePlants } from './delete-plants.ts';
export { ownServer, startDedicatedServer } from './embedded-server.ts';
export { copyOfDatabase, freshDatabase } from './fresh-database.ts';
export { runSql } from './run-sql.ts';
export { backends, hold } from './sessions.ts';
