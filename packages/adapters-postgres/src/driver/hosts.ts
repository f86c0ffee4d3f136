import type { ConnectionFigures } from '@plant-store/sql-store';
import type pg from 'pg';
import type { CompleteOptions } from '../options.ts';
import { checkSession, type Fault } from './check-session.ts';
import { parseConnectionString } from './connection-string.ts';
import { openPool } from './pool.ts';

/** Where connections come from: one host, or several of which one is the primary. */
export interface Hosts {
  /** @throws {Error} when no host accepts the connection; with several, an AggregateError of each one's error. */
  connect(): Promise<pg.PoolClient>;
  /** Resolves when every connection that has been released is closed. */
  end(): Promise<void>;
}

/**
 * Opens a pool for each host of `postgres://user:password@a:5432,b:5432/database`. Connections come from the host that
 * was the primary last; when it fails, or has become a standby, from the next one that is. This is libpq's
 * `target_session_attrs=read-write`, which pg does not know.
 *
 * @param kept returns how many connections nobody uses although they are not back in their pools.
 * @param onFault as of {@link checkSession}, for each new connection.
 * @throws {Error} when the connection string cannot be used.
 */
export function openHosts(options: CompleteOptions, kept: () => number, onFault?: (fault: Fault) => void): Hosts {
  const pools = openPools(options, onFault);
  options.observer.watchConnections(() => figuresOf(pools, options.poolSize, kept()));
  const [only, ...others] = pools;
  if (only !== undefined && others.length === 0) return only;
  let primary = 0;

  return {
    async connect() {
      const errors: unknown[] = [];
      for (const pool of [...pools.slice(primary), ...pools.slice(0, primary)]) {
        try {
          const client = await pool.connect();
          primary = pools.indexOf(pool);
          return client;
        } catch (error) {
          errors.push(error);
        }
      }
      throw new AggregateError(errors, 'no host is a primary that can be reached');
    },
    end: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
  };
}

function openPools(options: CompleteOptions, onFault?: (fault: Fault) => void): readonly pg.Pool[] {
  const { urls } = parseConnectionString(options.connectionString);
  // All hosts together may take as long as one.
  const connectWithinMs = Math.max(1, Math.floor(options.connectWithinMs / urls.length));
  const verify = checkSession(options.table, urls.length > 1, connectWithinMs, onFault);
  return urls.map((connectionString) => openPool({ ...options, connectionString, connectWithinMs }, verify));
}

/** In effect those of one host: standbys keep no connection. */
function figuresOf(pools: readonly pg.Pool[], max: number, kept: number): ConnectionFigures {
  const sum = (count: (pool: pg.Pool) => number) => pools.reduce((total, pool) => total + count(pool), 0);
  const idle = sum((pool) => pool.idleCount) + kept;
  return { idle, used: sum((pool) => pool.totalCount) - idle, pending: sum((pool) => pool.waitingCount), max };
}
