import { type CompleteServerOptions, UnsafeStore } from '@plant-store/store-kit';
import { type Database, type SessionPool, sessionPool, withoutMigrationLock } from '@plant-store/store-kit/sql';
import { Kysely, type Logger, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { parseConnectionString, unusable } from './connection-string.ts';
import { isFull, postgresErrors } from './errors.ts';
import { Session } from './session.ts';

/** A database, not yet connected. Both share its sessions. */
export interface PostgresDatabase {
  readonly sessions: SessionPool<Session>;
  /** Destroying it closes the sessions. */
  readonly db: Kysely<Database>;
}

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

/** What makes the session, or the table as it is now, unfit for adds; null if nothing does. */
const FAULT = `SELECT CASE
  WHEN current_setting('synchronous_commit', true) = 'off' THEN 'synchronous_commit'
  WHEN current_setting('client_min_messages', true) = 'error' THEN 'client_min_messages'
  WHEN current_setting('array_nulls', true) = 'off' THEN 'array_nulls'
  WHEN (SELECT relpersistence FROM pg_class WHERE oid = to_regclass('plants')) = 'u' THEN 'unlogged'
  WHEN EXISTS (SELECT FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
    WHERE tgrelid = to_regclass('plants') AND proname = 'citus_truncate_trigger') THEN 'distributed' END AS fault`;

/**
 * Refuses a session whose commits would not be durable, or not be what was added. The server, the database or the user may have
 * set it so, and no client would notice. It is not overridden here, because a session behind a pooler is shared.
 *
 * @param withinMs how long it may take: a pooler whose database hangs accepts the connection and does not respond.
 * @param accepted a fault that does no harm.
 * @returns whether it was found.
 * @throws {UnsafeStore} with what to do.
 */
export async function checkSession(session: Session, withinMs: number, accepted?: Fault): Promise<boolean> {
  const { rows } = await session.query<{ fault: Fault | null }>({ text: FAULT, query_timeout: withinMs });
  const fault = rows[0]?.fault;
  if (fault && fault !== accepted) throw new UnsafeStore(`PostgreSQL: ${faults[fault]}`);
  return Boolean(fault);
}

/** What {@link FAULT} finds. */
type Fault = keyof typeof faults;

const faults = {
  synchronous_commit:
    'synchronous_commit is off, so a crash of the server loses what was acknowledged: set it to on for the user (ALTER ROLE … SET synchronous_commit = on)',
  client_min_messages:
    'client_min_messages is error, which hides that a commit was not confirmed by a standby: set it to warning for the user (ALTER ROLE … SET client_min_messages = warning)',
  array_nulls:
    'array_nulls is off, which stores the text NULL where a plant has no tag: set it to on for the user (ALTER ROLE … SET array_nulls = on)',
  unlogged: 'the table plants is unlogged, so a crash of the server empties it: run ALTER TABLE plants SET LOGGED',
  distributed: 'the table plants is distributed by Citus: use a URL that begins with citus://',
};
