import { type StorageAdapter, serverLimits } from '@plant-store/store-kit';
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
  limits: serverLimits,
  commands: [
    {
      name: 'distribute',
      description: 'bring the schema of Citus up to date, then distribute the plants by id over the nodes',
      // The maximum is MAX_SHARD_COUNT of Citus.
      option: { flags: '--shards <number>', description: 'in so many shards (default: 4 for each node)', max: 64_000 },
    },
  ],
  at(connectionString, options) {
    const given = { connectionString, ...options };
    return {
      open: async () => (await load()).openCitus(given),
      migrate: async () => (await load()).migrateCitus(given),
      status: async () => (await load()).citusMigrationStatus(given),
      commands: { distribute: async (shards) => (await load()).distributeCitus(given, shards) },
      async details() {
        const distribution = await (await load()).citusDistribution(given);
        if (!distribution) return [];
        const { shards, nodes } = distribution;
        const on = nodes.length === 1 ? 'one node' : `${nodes.length} nodes`;
        return [`distributed  ${shards} shards on ${on}: ${nodes.join(', ')}`];
      },
      export: async () => (await load()).citusExport(given),
    };
  },
};
