export { memoryUnderTest } from './memory-harness.ts';
