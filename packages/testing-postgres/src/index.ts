export { deletePlants } from './delete-plants.ts';
export { type DedicatedServer, startDedicatedServer } from './embedded-server.ts';
export { freshDatabase } from './fresh-database.ts';
export { runSql } from './run-sql.ts';
