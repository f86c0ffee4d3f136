export { mysqlHarness } from './mysql-harness.ts';
