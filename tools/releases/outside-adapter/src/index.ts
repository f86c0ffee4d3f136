import type { StoreHarness } from '@plant-store/contracts-stores';
import type { StorageAdapter } from '@plant-store/store-kit';

/** The adapter that plant-store loads if the setting `STORAGE_ADAPTER` names this package. */
export const storageAdapter: StorageAdapter = {
  form: 'file-log:<path>',
  urls: /^file-log:./,
  // Imported when it is needed, so that other commands start faster.
  at: (url, options) => ({
    open: async () => (await import('./store.ts')).openFileLog({ ...options, url }),
    // There is no schema.
    migrate: async () => [],
    status: async () => [],
    export: async () => (await import('./store.ts')).exportFileLog(url),
  }),
};

/** The harness for `verify-store`, which alone imports the contract. */
export async function storeHarness(url: string): Promise<StoreHarness> {
  return (await import('./harness/file-log-harness.ts')).fileLogHarness(url);
}
