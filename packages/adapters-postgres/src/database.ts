import type { CompleteServerOptions } from '@plant-store/store-kit';
import { type SessionPool, type SqlDatabase, sessionPool } from '@plant-store/store-kit/sql';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { invalidUrl, parseConnectionString } from './connection-string.ts';
import { isTooManyConnections, postgresErrors } from './errors.ts';
import { Session } from './session.ts';

/** A PostgreSQL database. It connects on first use. Destroying `db` closes the sessions. */
export type PostgresDatabase = SqlDatabase<Session>;

/** The settings of an adapter for its sessions. */
interface DatabaseSettings {
  /** Checks a new session within a time in milliseconds. @throws {Error} if it must not be used. */
  readonly check?: (session: Session, withinMs: number) => Promise<void>;
  /** Whether statements are prepared. By default the connection string decides. */
  readonly preparesStatements?: boolean;
}

/**
 * Opens a database. All timeouts are the client's. PgBouncer rejects `statement_timeout` in the startup message, and it does not
 * bound the wait for a standby.
 *
 * @throws {Error} if the connection string cannot be used.
 */
export function openDatabase(
  options: CompleteServerOptions,
  {
    check = async () => {},
    preparesStatements = parseConnectionString(options.connectionString).prepare,
  }: DatabaseSettings = {},
): PostgresDatabase {
  const pool = openPool(options);
  const sessionOf = new WeakMap<pg.PoolClient, Session>();
  pool.on('connect', (client) => sessionOf.set(client, new Session(client, preparesStatements)));
  // The pool emits this for idle clients alone. If a client is in use, its statement fails.
  pool.on('error', ({ message }) => options.onError(new Error(`idle connection to PostgreSQL lost: ${message}`)));
  const sessions = sessionPool<Session>(
    {
      connect: async () => sessionOf.get(await pool.connect()) as Session,
      prepare: check,
      idleCount: () => pool.idleCount,
      isTooManyConnections,
      end: async () => (pool.ending ? undefined : pool.end()),
      errors: postgresErrors,
    },
    options,
  );
  const dialect = new PostgresDialect({ pool: kyselyPool(sessions) });
  return { sessions, db: new Kysely({ dialect }) };
}

function openPool({ connectionString, poolSize, connectWithinMs, dropAfterMs }: CompleteServerOptions): pg.Pool {
  const config: pg.PoolConfig = {
    connectionString: parseConnectionString(connectionString).url,
    max: poolSize,
    connectionTimeoutMillis: connectWithinMs,
    // Long enough for bursts to reuse connections.
    idleTimeoutMillis: 10_000,
    ...(dropAfterMs < Infinity && { query_timeout: dropAfterMs }),
    allowExitOnIdle: true,
    types: { getTypeParser },
    Client: ClosingClient,
  };
  try {
    // Reads the certificates now. If pg read them on connecting, a wrong path would look like an outage.
    new pg.Client(config);
  } catch (cause) {
    throw invalidUrl((cause as Error).message, { cause });
  }
  return new pg.Pool(config);
}

/** Closes clients that fail before they send a password. pg's pool leaves them open, and the server waits for a minute. */
class ClosingClient extends pg.Client {
  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | undefined {
    const connecting = super.connect() as Promise<this>;
    connecting.catch(() => this.end());
    if (!callback) return connecting;
    connecting.then(() => callback(undefined as never), callback);
    return undefined;
  }
}

/** Adapts the sessions to Kysely's pool interface. Kysely does not say whether a released connection is usable. */
function kyselyPool({ acquire, release, end }: SessionPool<Session>): PostgresPool {
  return {
    // Kysely would use these to open a connection that cancels statements.
    options: {},
    async connect() {
      const session = await acquire();
      const query = (text: string, values: readonly unknown[]) => session.query({ text, values: [...values] });
      // Kysely's type has an overload for cursors, which only streaming needs.
      return { query: query as unknown as PostgresPoolClient['query'], release: () => release(session) };
    },
    end,
  };
}

/** Reads an int64 as a bigint. It is set for these clients alone, because `pg.types` is shared by the whole process. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format as 'text');
