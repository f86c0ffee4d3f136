export { postgresCapabilities as citusCapabilities } from '@plant-store/adapters-postgres';
export { type CitusOptions, type CitusStorage, citusStorage } from './store.ts';
