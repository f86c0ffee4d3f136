export { harnessOf, storeHarness } from './postgres-harness.ts';
export { type ScratchDatabase, scratchSchema } from './scratch-database.ts';
