export { memoryHarness } from './memory-harness.ts';
