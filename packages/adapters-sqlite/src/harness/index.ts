export { sqliteUnderTest } from './sqlite-harness.ts';
