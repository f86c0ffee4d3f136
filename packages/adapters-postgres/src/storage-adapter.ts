import { type StorageAdapter, serverLimits } from '@plant-store/store-kit';
import { parseConnectionString } from './connection-string.ts';

const load = () => import('./index.ts');

/** The service's adapter for PostgreSQL. */
export const storageAdapter: StorageAdapter = {
  form: 'postgres://…',
  urls: /^postgres(ql)?:\/\/./,
  tlsAdvice: (url) =>
    parseConnectionString(url).plaintext
      ? 'sslmode=verify-full, or sslmode=disable if nobody else is on its network'
      : undefined,
  limits: serverLimits,
  at(connectionString, options) {
    const given = { connectionString, ...options };
    return {
      open: async () => (await load()).openPostgres(given),
      migrate: async () => (await load()).migratePostgres(given),
      status: async () => (await load()).postgresMigrationStatus(given),
      export: async () => (await load()).postgresExport(given),
    };
  },
};
