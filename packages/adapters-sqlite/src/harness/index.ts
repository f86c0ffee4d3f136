export { sqliteHarness } from './sqlite-harness.ts';
