import { lazyStorage, type StorageAdapter, serverLimits } from '@plant-store/store-kit';

/** The service's adapter for SQLite. */
export const storageAdapter: StorageAdapter = {
  form: 'sqlite:<path>',
  // Excludes :memory:, which processes cannot share, and ~, which only a shell expands.
  urls: /^sqlite:(?!:memory:|~|\w+:\/\/)./s,
  limits: { timeoutMs: serverLimits.timeoutMs, maxWaiting: serverLimits.maxWaiting },
  at: (url, options) =>
    lazyStorage(async () =>
      (await import('./store.ts')).sqliteStorage({ path: url.slice('sqlite:'.length), ...options }),
    ),
};
