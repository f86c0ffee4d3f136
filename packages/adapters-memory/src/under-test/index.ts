export { memoryUnderTest } from './memory-under-test.ts';
