export type { DedicatedServer } from '@plant-store/testing-servers';
export { startDedicatedServer } from './dedicated-server.ts';
export { deletePlants, freshDatabase } from './fresh-database.ts';
