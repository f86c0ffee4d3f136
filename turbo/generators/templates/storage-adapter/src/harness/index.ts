export { newEngineUnderTest } from './new-engine-harness.ts';
