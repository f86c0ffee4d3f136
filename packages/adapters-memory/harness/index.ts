export { storeHarness } from './memory-harness.ts';
