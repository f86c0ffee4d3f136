import { lazyStorage, type StorageAdapter } from '@plant-store/store-kit';
import { parseConnectionString } from './connection-string.ts';

/** The service's adapter for MySQL and MariaDB. */
export const storageAdapter: StorageAdapter = {
  form: 'mysql://…',
  urls: /^(mysql|mariadb):\/\/./,
  tlsAdvice: (url) =>
    parseConnectionString(url).plaintext
      ? 'ssl-mode=VERIFY_IDENTITY, or ssl-mode=DISABLED if nobody else is on its network'
      : undefined,
  at: (connectionString, options) =>
    lazyStorage(async () => (await import('./store.ts')).mysqlStorage({ connectionString, ...options })),
};
