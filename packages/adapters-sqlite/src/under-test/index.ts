export { sqliteUnderTest } from './sqlite-under-test.ts';
