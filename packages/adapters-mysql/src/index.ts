export type { MigrationState } from '@plant-store/sql-store';
export { serverCapabilities as mysqlCapabilities } from '@plant-store/sql-store';
export { exportTable, mysqlExport } from './export.ts';
export { migrateMysql, mysqlMigrationStatus } from './migrations.ts';
export type { MysqlOptions } from './options.ts';
export { openMysql, openTable } from './store.ts';
