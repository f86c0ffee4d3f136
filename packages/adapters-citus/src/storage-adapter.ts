import type { StorageAdapter } from '@plant-store/store-kit';
import { parseCitusUrl } from './connection-string.ts';

const load = () => import('./index.ts');

/** The service's adapter for Citus. */
export const storageAdapter: StorageAdapter = {
  form: 'citus://…',
  urls: /^citus:\/\/./,
  tlsAdvice: (url) =>
    parseCitusUrl(url).plaintext
      ? 'sslmode=verify-full, or sslmode=disable if nobody else is on its network'
      : undefined,
  at(connectionString, options) {
    const given = { connectionString, ...options };
    return {
      open: async () => (await load()).openCitus(given),
      migrate: async () => (await load()).migrateCitus(given),
      status: async () => (await load()).citusMigrationStatus(given),
      distribute: async (shards) => (await load()).distributeCitus(given, shards),
      distribution: async () => (await load()).citusDistribution(given),
      export: async () => (await load()).citusExport(given),
    };
  },
};
