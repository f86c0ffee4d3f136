import type { StoreUnderTest } from '@plant-store/domain/contract';
import { openMemory } from '../memory-store.ts';
import { memoryPromises } from '../promises.ts';

/** Memory: every store is a place of its own. */
export const memoryUnderTest: StoreUnderTest = {
  promises: memoryPromises,
  prepare: async () => ({ open: async () => openMemory(), dispose: async () => {} }),
};
