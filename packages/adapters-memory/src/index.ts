export { type MemoryStore, openMemory } from './memory-store.ts';
export { memoryPromises } from './promises.ts';
