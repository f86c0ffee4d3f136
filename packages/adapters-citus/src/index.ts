export { postgresCapabilities as citusCapabilities } from '@plant-store/adapters-postgres';
export { citusDistribution, type Distribution, distributeCitus } from './distribute.ts';
export { citusExport } from './export.ts';
export { citusMigrationStatus, migrateCitus } from './migrations.ts';
export type { CitusOptions } from './options.ts';
export { openCitus } from './store.ts';
