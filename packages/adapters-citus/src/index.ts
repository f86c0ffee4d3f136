export { postgresCapabilities as citusCapabilities } from '@plant-store/adapters-postgres';
export type { CitusOptions } from './options.ts';
export { type CitusStorage, citusStorage } from './store.ts';
