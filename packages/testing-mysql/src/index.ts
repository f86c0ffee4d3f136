export { freshDatabase } from './fresh-database.ts';
export { type DedicatedServer, startDedicatedServer } from './installed-server.ts';
export { onMysql } from './on-mysql.ts';
export { runSql } from './run-sql.ts';
