import type { StoreHarness } from '@plant-store/contracts-stores';
import type { StorageAdapter } from '@plant-store/store-kit';

/** What plant-store loads if its setting `STORAGE_ADAPTER` names this package. */
export const storageAdapter: StorageAdapter = {
  form: 'file-log:<path>',
  urls: /^file-log:./,
  // The store is loaded by the first method that needs it, and not by every command.
  at: (url, options) => ({
    open: async () => (await import('./store.ts')).openFileLog({ ...options, url }),
    // There is no schema.
    migrate: async () => [],
    status: async () => [],
    export: async () => (await import('./store.ts')).exportFileLog(url),
  }),
};

/** What `verify-store` checks: the contract is loaded by that command alone. */
export async function storeHarness(url: string): Promise<StoreHarness> {
  return (await import('./harness/file-log-harness.ts')).fileLogHarness(url);
}
