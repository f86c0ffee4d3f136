export { citusHarness, type Faults } from './citus-harness.ts';
