import type { PostgresOptions } from '@plant-store/adapters-postgres';
import { openPool } from '@plant-store/adapters-postgres/driver';
import { completeOptions, type SharedStorage } from '@plant-store/store-kit';
import { NO_TIMEOUT, sqlStorage } from '@plant-store/store-kit/sql';
import { toPostgresUrl } from './connection-string.ts';
import { citusDatabase } from './database.ts';
import { distribute, readDistribution } from './distribute.ts';

/** The options of a store on Citus, which are those of PostgreSQL but for the URL. */
export interface CitusOptions extends PostgresOptions {
  /** `citus://user:password@host:port/database` of the coordinator, with the parameters of PostgreSQL. */
  readonly connectionString: string;
}

/** The storage on a Citus cluster. */
export interface CitusStorage extends SharedStorage {
  readonly commands: {
    /**
     * Distributes the table of plants by id over the nodes. The database has to be migrated. It may run again. Existing plants are moved
     * without a timeout, and adds wait.
     *
     * @param shards the number of shards of the table. By default 4 for each node.
     * @throws {Error} if the database has no Citus, or the table already has another number of shards.
     */
    readonly distribute: (shards?: number) => Promise<void>;
  };
  details(): Promise<readonly string[]>;
}

/**
 * The storage on a Citus cluster, through its coordinator, which applies migrations to the nodes. If the table is not distributed, or the
 * database has no Citus, it works as on PostgreSQL. A batch is one commit, in two phases if it affects several nodes. If one of them
 * cannot commit, none of the batch is stored.
 */
export function citusStorage(options: CitusOptions): CitusStorage {
  const completed = completeOptions({ ...options, connectionString: toPostgresUrl(options.connectionString) });
  // Citus plans each execution, and the text of an insert depends on its number of rows.
  const open = (timeoutMs: number) => citusDatabase(openPool(completed, timeoutMs, false), completed);
  return {
    ...sqlStorage(open, completed),
    commands: { distribute: (shards) => distribute(open(NO_TIMEOUT), shards) },
    async details() {
      const distribution = await readDistribution(open(completed.timeoutMs));
      if (!distribution) return [];
      const { shards, nodes } = distribution;
      const on = nodes.length === 1 ? 'one node' : `${nodes.length} nodes`;
      return [`distributed  ${shards} shards on ${on}: ${nodes.join(', ')}`];
    },
  };
}
