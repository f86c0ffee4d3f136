export { type Faults, postgresHarness } from './postgres-harness.ts';
