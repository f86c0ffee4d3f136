import type { CompleteServerOptions } from '@plant-store/store-kit';
import { type SessionPool, type SqlDatabase, sessionPool, withoutMigrationLock } from '@plant-store/store-kit/sql';
import { Kysely, type Logger, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { parseConnectionString, unusable } from './connection-string.ts';
import { isFull, postgresErrors } from './errors.ts';
import { Session } from './session.ts';

/** A database, not yet connected. Destroying `db` closes the sessions. */
export type PostgresDatabase = SqlDatabase<Session>;

/**
 * No timeout is sent to the server, as `statement_timeout` would be: PgBouncer refuses it at start-up, and it does not
 * bound the wait for a standby. All timeouts are the client's.
 *
 * @param traits.prepare checks a new session. @throws {Error} when it must not be used.
 * @param traits.hasNames whether statements may be prepared; by default as the connection string says.
 * @param traits.log is told of every statement of Kysely's, and of its error.
 * @throws {Error} when the connection string cannot be used.
 */
export function openDatabase(
  options: CompleteServerOptions,
  {
    prepare = async () => {},
    hasNames = parseConnectionString(options.connectionString).prepare,
    log,
  }: { prepare?: (session: Session) => Promise<void>; hasNames?: boolean; log?: Logger } = {},
): PostgresDatabase {
  const pool = openPool(options);
  const opened = new WeakMap<pg.PoolClient, Session>();
  pool.on('connect', (client) => opened.set(client, new Session(client, hasNames)));
  // What is lost while it is lent, whoever has it learns by its statement.
  pool.on('error', ({ message }) => options.onError(new Error(`idle connection to PostgreSQL lost: ${message}`)));
  const sessions = sessionPool<Session>(
    {
      server: 'PostgreSQL',
      take: async () => opened.get(await pool.connect()) as Session,
      prepare,
      idle: () => pool.idleCount,
      isFull,
      end: async () => (pool.ending ? undefined : pool.end()),
      errors: postgresErrors,
    },
    options,
  );
  const dialect = withoutMigrationLock(new PostgresDialect({ pool: kyselyPool(sessions) }));
  return { sessions, db: new Kysely({ dialect, ...(log && { log }) }) };
}

function openPool({ connectionString, poolSize, connectWithinMs }: CompleteServerOptions): pg.Pool {
  const config: pg.PoolConfig = {
    connectionString: parseConnectionString(connectionString).url,
    max: poolSize,
    connectionTimeoutMillis: connectWithinMs,
    // A burst does not connect anew, and a quiet store gives its connections back.
    idleTimeoutMillis: 10_000,
    allowExitOnIdle: true,
    types: { getTypeParser },
    Client: ClosingClient,
  };
  try {
    // It would be read only on connecting, and a certificate's wrong path would look like an outage.
    new pg.Client(config);
  } catch (cause) {
    throw unusable((cause as Error).message, { cause });
  }
  return new pg.Pool(config);
}

/** pg's pool leaves a client open that fails on this side, for lack of a password, say: the server would wait for a minute. */
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

/** The sessions as Kysely's dialect takes a pool. It releases every connection as a good one, whatever happened on it. */
function kyselyPool({ acquire, release, end }: SessionPool<Session>): PostgresPool {
  return {
    // Kysely would connect with these to cancel statements.
    options: {},
    async connect() {
      const session = await acquire();
      const query = (text: string, values: readonly unknown[]) => session.query({ text, values: [...values] });
      // Kysely's type has a form for cursors as well, which only streaming needs.
      return { query: query as unknown as PostgresPoolClient['query'], release: () => release(session) };
    },
    end,
  };
}

/** Reads an int64 as a bigint, for these clients alone: `pg.types` is shared by the whole process. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format as 'text');
