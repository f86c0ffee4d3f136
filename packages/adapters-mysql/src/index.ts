export { serverCapabilities as mysqlCapabilities } from '@plant-store/store-kit';
export { type MysqlOptions, mysqlStorage } from './store.ts';
