export { harnessOf, storeHarness } from './postgres-harness.ts';
export { scratchSchema } from './scratch-schema.ts';
