export type { MigrationState } from '@plant-store/group-commit';
export { mysqlCapabilities } from './capabilities.ts';
export { mysqlExport } from './export.ts';
export { migrateMysql, mysqlMigrationStatus } from './migrations.ts';
export type { MysqlOptions } from './options.ts';
export { openMysql } from './store.ts';
