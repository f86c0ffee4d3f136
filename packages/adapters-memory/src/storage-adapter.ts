import type { StorageAdapter } from '@plant-store/store-kit';
import { openMemory } from './store.ts';

/** Memory, for the service: without a schema, and gone when the process ends. */
export const storageAdapter: StorageAdapter = {
  form: 'memory:',
  urls: /^memory:$/,
  at: () => ({
    open: async () => openMemory(),
    migrate: async () => [],
    status: async () => [],
  }),
};
