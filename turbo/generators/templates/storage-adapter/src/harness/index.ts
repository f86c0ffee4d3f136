export { newEngineHarness } from './new-engine-harness.ts';
