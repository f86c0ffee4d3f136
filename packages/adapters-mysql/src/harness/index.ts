export { type Faults, mysqlHarness } from './mysql-harness.ts';
