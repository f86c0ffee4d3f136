export { type Faults, postgresUnderTest } from './postgres-harness.ts';
