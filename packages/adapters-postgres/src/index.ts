export { serverCapabilities as postgresCapabilities } from '@plant-store/store-kit';
export { type PostgresOptions, postgresStorage } from './store.ts';
