export { newEngineUnderTest } from './new-engine-under-test.ts';
