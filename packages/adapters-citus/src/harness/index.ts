export { citusHarness } from './citus-harness.ts';
