export { storeHarness } from './mysql-harness.ts';
