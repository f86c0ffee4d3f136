import type { StorageAdapter } from '@plant-store/store-kit';
import { openMemory } from './store.ts';

/** The service's adapter for memory, which has no schema. */
export const storageAdapter: StorageAdapter = {
  form: 'memory:',
  urls: /^memory:$/,
  at: () => ({
    open: async () => openMemory(),
    migrate: async () => [],
    status: async () => [],
  }),
};
