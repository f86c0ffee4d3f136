export { faults } from './faults.ts';
export { createHarness, storeHarness } from './postgres-harness.ts';
export { scratchSchema } from './scratch-schema.ts';
