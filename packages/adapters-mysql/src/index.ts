export { serverCapabilities as mysqlCapabilities } from '@plant-store/store-kit';
export { mysqlExport } from './export.ts';
export { migrateMysql, mysqlMigrationStatus } from './migrations.ts';
export type { MysqlOptions } from './options.ts';
export { openMysql } from './store.ts';
