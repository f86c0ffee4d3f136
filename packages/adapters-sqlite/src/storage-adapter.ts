import { realpath } from 'node:fs/promises';
import { type StorageAdapter, storeLimits } from '@plant-store/store-kit';

const load = () => import('./index.ts');

/** The service's adapter for SQLite. */
export const storageAdapter: StorageAdapter = {
  form: 'sqlite:<path>',
  // Excludes :memory:, which processes cannot share, and ~, which only a shell expands.
  urls: /^sqlite:(?!:memory:|~|\w+:\/\/)./s,
  limits: storeLimits,
  at(url, options) {
    const given = { path: url.slice('sqlite:'.length), ...options };
    return {
      open: async () => (await load()).openSqlite(given),
      migrate: async () => (await load()).migrateSqlite(given),
      status: async () => (await load()).sqliteMigrationStatus(given),
      export: async () => (await load()).sqliteExport(given),
      // SQLite creates the other files beside the file itself, not beside a symbolic link.
      async files() {
        const path = await realpath(given.path).catch(() => given.path);
        return ['', '-wal', '-shm', '-journal'].map((end) => `${path}${end}`);
      },
    };
  },
};
