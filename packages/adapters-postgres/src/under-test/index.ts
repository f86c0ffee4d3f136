export { type Faults, postgresUnderTest } from './postgres-under-test.ts';
