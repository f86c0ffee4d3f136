export { memoryCapabilities } from './capabilities.ts';
export { type MemoryStore, openMemory } from './memory-store.ts';
