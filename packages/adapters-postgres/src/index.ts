export { serverCapabilities as postgresCapabilities } from '@plant-store/store-kit';
export type { PostgresOptions } from './options.ts';
export { postgresStorage } from './store.ts';
