export { storeHarness } from './citus-harness.ts';
