import { storageAdapter as postgres } from '@plant-store/adapters-postgres/storage-adapter';
import { lazyStorage, type StorageAdapter } from '@plant-store/store-kit';
import { toPostgresUrl } from './connection-string.ts';

/** The service's adapter for Citus. */
export const storageAdapter: StorageAdapter = {
  form: 'citus://…',
  urls: /^citus:\/\/./,
  tlsAdvice: (url) => postgres.tlsAdvice?.(toPostgresUrl(url)),
  commands: [
    {
      name: 'distribute',
      description: 'bring the schema of Citus up to date, then distribute the plants by id over the nodes',
      // The maximum is MAX_SHARD_COUNT of Citus.
      option: { flags: '--shards <number>', description: 'in so many shards (default: 4 for each node)', max: 64_000 },
    },
  ],
  at(connectionString, options) {
    const load = async () => (await import('./store.ts')).citusStorage({ connectionString, ...options });
    return {
      ...lazyStorage(load),
      commands: { distribute: async (shards) => (await load()).commands.distribute(shards) },
      details: async () => (await load()).details(),
    };
  },
};
