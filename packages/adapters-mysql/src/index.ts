export { serverCapabilities as mysqlCapabilities } from '@plant-store/store-kit';
export type { MysqlOptions } from './options.ts';
export { mysqlStorage } from './store.ts';
