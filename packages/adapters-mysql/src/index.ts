export type { MigrationState } from '@plant-store/sql-store';
export { mysqlCapabilities } from './capabilities.ts';
export { exportTable, mysqlExport } from './export.ts';
export { migrateMysql, mysqlMigrationStatus } from './migrations.ts';
export type { MysqlOptions } from './options.ts';
export { openMysql, openTable } from './store.ts';
