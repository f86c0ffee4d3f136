// To cancel statements, this file uses fields of pg's client that its types do not declare. No other file does.

import { hash } from 'node:crypto';
import { StoreUnavailable } from '@plant-store/domain';
import type { CompleteServerOptions } from '@plant-store/store-kit';
import { DriverSession, OWN, type SessionPool, type SqlDatabase, sessionPool } from '@plant-store/store-kit/sql';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { invalidUrl, parseConnectionString } from './connection-string.ts';
import { isTooManyConnections, postgresErrors } from './errors.ts';

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

/** A session of a PostgreSQL server, on a client of pg's pool. */
export class Session extends DriverSession {
  readonly #client: pg.PoolClient;
  readonly #preparesStatements: boolean;
  #syncWaitWarning: string | undefined;

  /** @param preparesStatements whether statements with values are prepared, so that the server parses each once. */
  constructor(client: pg.PoolClient, preparesStatements: boolean) {
    super();
    this.#client = client;
    this.#preparesStatements = preparesStatements;
    // The pool listens only while the client is idle. Without a listener a terminated backend would end this process.
    client.on('error', (error) => {
      this.fault ??= error;
    });
    client.on('notice', ({ routine, message }) => {
      // The message is localized and its code is that of every warning, so the server's function identifies it.
      if (routine === 'SyncRepWaitForLSN') this.#syncWaitWarning = message;
    });
  }

  /**
   * Runs a statement.
   *
   * @param config.query_timeout its timeout in milliseconds; `dropAfterMs` by default. After a timeout the connection is closed.
   * @throws {StoreUnavailable} if the wait for a standby was cancelled. PostgreSQL then only warns that the commit may be lost
   *   with the primary.
   * @throws {Error} any error of pg.
   */
  async query<Row extends pg.QueryResultRow | unknown[]>(
    config: pg.QueryConfig & { readonly rowMode?: 'array'; readonly query_timeout?: number },
  ): Promise<Omit<pg.QueryResult, 'rows'> & { rows: Row[] }> {
    this.assertUsable();
    const endsSession = config.text === 'rollback';
    if (this.#preparesStatements && config.values && config.values.length > 0)
      Object.assign(config, preparedStatement(config.text));
    else config.text = marked(config.text);
    this.#syncWaitWarning = undefined;
    const run = () =>
      this.#client.query(config).catch((error: Error) => {
        if (error.message === 'Query read timeout') this.#cancel();
        throw error;
      });
    const result = await this.track(run, postgresErrors, endsSession);
    if (this.#syncWaitWarning !== undefined) throw new StoreUnavailable(`PostgreSQL: ${this.#syncWaitWarning}`);
    return result as Omit<pg.QueryResult, 'rows'> & { rows: Row[] };
  }

  command(sql: string): Promise<unknown> {
    return this.query({ text: sql });
  }

  release(): void {
    this.#client.release(this.failure !== undefined);
  }

  destroy(): void {
    this.fault ??= new Error('the connection is closed');
    if (this.busySince === Infinity) return;
    this.#cancel();
    void this.#client.end();
  }

  /** Cancels the running statement before its connection is closed, so that the backend ends before a new connection starts one. */
  #cancel(): void {
    cancelStatement(this.#client as unknown as Backend);
  }
}

const marked = (text: string) => `${OWN} ${text}`;

/** Derives the name from the text alone, because a pooler shares it among clients of all versions. */
function preparedStatement(text: string): { readonly name: string; readonly text: string } {
  let statement = statements.get(text);
  if (!statement) {
    statement = { name: `plant-store-${hash('sha256', marked(text), 'hex').slice(0, 32)}`, text: marked(text) };
    statements.set(text, statement);
  }
  return statement;
}

const statements = new Map<string, { readonly name: string; readonly text: string }>();

/**
 * Asks the server to cancel the running statement (PostgreSQL documentation, «Canceling Requests in Progress»). Otherwise the
 * backend would wait for a lock or a standby behind a closed connection, and occupy a slot. The request holds a secret key, so it
 * uses TLS if the session does. The protocol has no response, and a failure to send is ignored.
 */
function cancelStatement({ host, port, processID, secretKey, ssl, sslNegotiation }: Backend): void {
  const request = new pg.Connection({ ssl, sslNegotiation } as never) as unknown as CancelRequest;
  const cancel = () => request.cancel(processID, secretKey);
  request.on('error', () => {});
  request.once('sslconnect', cancel);
  request.once('connect', () => {
    if (!ssl) cancel();
    else if (sslNegotiation !== 'direct') request.requestSsl();
  });
  if (host.startsWith('/')) request.connect(`${host}/.s.PGSQL.${port}`);
  else request.connect(port, host);
  const { stream } = request;
  stream.setTimeout(CANCEL_TIMEOUT_MS, () => stream.destroy()).unref();
}

/** 1.5 s: the default of `connectWithinMs`. */
const CANCEL_TIMEOUT_MS = 1_500;

interface Backend {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
  readonly ssl: unknown;
  readonly sslNegotiation: string;
}

interface CancelRequest extends NodeJS.EventEmitter {
  readonly stream: import('node:net').Socket;
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
}
