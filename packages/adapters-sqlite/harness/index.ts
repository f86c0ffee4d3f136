export { storeHarness } from './sqlite-harness.ts';
