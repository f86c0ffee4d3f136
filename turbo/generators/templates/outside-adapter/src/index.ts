import type { StorageAdapter } from '@plant-store/contracts-stores';
import { newEngineCapabilities } from './capabilities.ts';

/** What plant-store loads if its setting `STORAGE_ADAPTER` names this package. */
export const storageAdapter: StorageAdapter = {
  // Behind a server: new-engine://…, and isPlaintext and tls beside it.
  form: 'new-engine:<path>',
  urls: /^new-engine:./,
  shared: newEngineCapabilities.shared,
  scratchPlace: 'an empty place beside the given one',
  // The driver is loaded by the first method that needs it, and not by every command.
  at: (url, options) => ({
    open: async () => (await import('./store.ts')).openNewEngine({ ...options, url }),
    migrate: async () => (await import('./migrations.ts')).migrateNewEngine({ ...options, url }),
    status: async () => (await import('./migrations.ts')).newEngineMigrationStatus({ ...options, url }),
    harness: async () => (await import('./harness/index.ts')).newEngineHarness(url),
  }),
};
