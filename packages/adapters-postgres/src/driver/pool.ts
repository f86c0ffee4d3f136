import pg from 'pg';
import type { CompleteOptions } from '../options.ts';
import type { VerifySession } from './check-session.ts';
import { unusable } from './connection-string.ts';
import { PoolClient, whyUnusable } from './pool-client.ts';

/**
 * A pool of connections to one PostgreSQL server. Nothing is connected yet.
 *
 * No timeout is sent to the server, as `statement_timeout` would be: PgBouncer refuses it at start-up, and it does not
 * bound the wait for a standby. All timeouts are the client's.
 *
 * @param verify checks every new connection before it is used.
 * @throws {Error} when the connection string cannot be read, or a file that it names.
 */
export function openPool(options: CompleteOptions, verify: VerifySession): pg.Pool {
  const config: pg.PoolConfig = {
    connectionString: options.connectionString,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectWithinMs,
    maxLifetimeSeconds: LONGEST_USE_S,
    types: { getTypeParser },
    // A connection that is closed while the server hangs would otherwise keep the process alive.
    allowExitOnIdle: true,
    // Not pg-pool's `verify`: a caller that times out while it runs leaves the connection in use for ever. Awaited,
    // although pg's types do not say so.
    onConnect: verify,
    Client: PoolClient,
  };
  assertReadable(config);

  const pool = new pg.Pool(config);
  // Without this listener a terminated backend would end this process.
  pool.on('error', ({ message }) => options.onError(lostConnection(message)));
  return pool;
}

/** 5 min: for so long a connection may be used whose session was checked before a setting was changed. */
const LONGEST_USE_S = 300;

/** What is reported when a connection that nobody uses is lost. */
export function lostConnection(message: string): Error {
  return new Error(`idle connection to PostgreSQL lost: ${message}`);
}

/** Reads an int64 as a bigint, for this pool's clients alone: `pg.types` is shared by the whole process. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format as 'text');

/** The pool would read it only on connecting, and the operator's mistake would look like an outage. */
function assertReadable(config: pg.PoolConfig): void {
  const cause = whyUnusable(config);
  if (cause) throw unusable(cause.message, { cause });
}
