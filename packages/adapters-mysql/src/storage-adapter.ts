import { type StorageAdapter, serverLimits } from '@plant-store/store-kit';
import { parseConnectionString } from './connection-string.ts';

const load = () => import('./index.ts');

/** The service's adapter for MySQL and MariaDB. */
export const storageAdapter: StorageAdapter = {
  form: 'mysql://…',
  urls: /^(mysql|mariadb):\/\/./,
  tlsAdvice: (url) =>
    parseConnectionString(url).plaintext
      ? 'ssl-mode=VERIFY_IDENTITY, or ssl-mode=DISABLED if nobody else is on its network'
      : undefined,
  limits: serverLimits,
  at(connectionString, options) {
    const given = { connectionString, ...options };
    return {
      open: async () => (await load()).openMysql(given),
      migrate: async () => (await load()).migrateMysql(given),
      status: async () => (await load()).mysqlMigrationStatus(given),
      export: async () => (await load()).mysqlExport(given),
    };
  },
};
