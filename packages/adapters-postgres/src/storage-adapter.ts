import { lazyStorage, type StorageAdapter } from '@plant-store/store-kit';
import { parseConnectionString } from './connection-string.ts';

/** The service's adapter for PostgreSQL. */
export const storageAdapter: StorageAdapter = {
  form: 'postgres://…',
  urls: /^postgres(ql)?:\/\/./,
  tlsAdvice: (url) =>
    parseConnectionString(url).plaintext
      ? 'sslmode=verify-full, or sslmode=disable if nobody else is on its network'
      : undefined,
  at: (connectionString, options) =>
    lazyStorage(async () => (await import('./store.ts')).postgresStorage({ connectionString, ...options })),
};
