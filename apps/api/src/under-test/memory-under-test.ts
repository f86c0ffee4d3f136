import { memoryPromises, openMemory } from '@plant-store/adapters-memory';
import type { StoreUnderTest } from '@plant-store/domain/contract';

/** Memory: every store is a place of its own. */
export const memoryUnderTest: StoreUnderTest = {
  promises: memoryPromises,
  prepare: async () => ({ open: async () => openMemory(), dispose: async () => {} }),
};
