import { readFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import { type CompleteServerOptions, withTimeout } from '@plant-store/store-kit';
import { DriverSession, OWN, type SessionPool, type SqlDatabase, sessionPool } from '@plant-store/store-kit/sql';
import { Kysely, MysqlDialect, type MysqlPool, type MysqlPoolConnection } from 'kysely';
import { createPool, format, type Pool, type PoolConnection, type SslOptions } from 'mysql2';
import { type ConnectionString, invalidUrl, parseConnectionString } from './connection-string.ts';
import { isTooManyConnections, mysqlErrors, packetTooLarge } from './errors.ts';

/** A MySQL database. It connects on first use. Destroying `db` closes the sessions. */
export type MysqlDatabase = SqlDatabase<Session>;

/**
 * Opens a database.
 *
 * @param settings.check checks a new session, and throws if it must not be used.
 * @throws {Error} if the connection string cannot be used.
 */
export function openDatabase(
  options: CompleteServerOptions,
  { check = async () => {} }: { check?: (session: Session, withinMs: number) => Promise<unknown> } = {},
): MysqlDatabase {
  const { connectWithinMs, dropAfterMs, onError } = options;
  const sockets = new Map<object, Socket>();
  const pool = openPool(options, sockets);
  const sessionOf = new WeakMap<PoolConnection, Session>();
  const idle = new Set<PoolConnection>();
  pool.on('acquire', (connection: PoolConnection) => idle.delete(connection));
  pool.on('release', (connection: PoolConnection) => idle.add(connection));
  pool.on('connection', (connection: PoolConnection) => {
    const socket = sockets.get(connection.config) as Socket;
    sessionOf.set(connection, new Session(connection, socket, dropAfterMs));
    socket.once('close', () => idle.delete(connection));
    // Without a listener an error would end this process. If the connection is in use, its statement fails as well.
    connection.on('error', ({ message }) => {
      if (idle.delete(connection)) onError(new Error(`idle connection to MySQL lost: ${message}`));
    });
  });

  async function connect(): Promise<Session> {
    const connecting = new Promise<PoolConnection>((resolve, reject) => {
      pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection)));
    });
    try {
      // mysql2 has no timeout for a pool that is in use.
      return sessionOf.get(await withTimeout(connecting, connectWithinMs)) as Session;
    } catch (error) {
      connecting.then((late) => late.release()).catch(() => {});
      throw error;
    }
  }

  /** Overrides the server's defaults and its `init_connect`. */
  async function prepare(session: Session, withinMs: number): Promise<void> {
    for (const statement of SESSION_SETTINGS) await session.query(statement, [], withinMs);
    await check(session, withinMs);
  }

  async function end(): Promise<void> {
    pool.end(() => {});
    // mysql2 waits for the server's response, so a server that hangs would keep this process alive.
    for (const socket of sockets.values()) socket.destroySoon();
  }

  const sessions = sessionPool<Session>(
    { connect, prepare, idleCount: () => idle.size, isTooManyConnections, end, errors: mysqlErrors },
    options,
  );
  const dialect = new MysqlDialect({ pool: kyselyPool(sessions) });
  return { sessions, db: new Kysely({ dialect }) };
}

/** @param sockets receives the open sockets, by the configuration of their connection. */
function openPool(
  { connectionString, poolSize, connectWithinMs }: CompleteServerOptions,
  sockets: Map<object, Socket>,
): Pool {
  const to = parseConnectionString(connectionString);
  const { host, port, user, password, database } = to;
  return createPool({
    ...{ host, port, user, password, database, ...tlsOptions(to) },
    connectionLimit: poolSize,
    // mysql2 closes idle connections only beyond this number. Bursts reuse them for 10 s.
    maxIdle: Math.max(1, poolSize - 1),
    idleTimeout: 10_000,
    connectTimeout: connectWithinMs,
    stream({ config }: { readonly config: object }) {
      const socket = createConnection({ host, port, noDelay: true, keepAlive: true });
      sockets.set(config, socket);
      return socket.once('close', () => sockets.delete(config));
    },
    // A JavaScript number cannot hold every int64.
    typeCast(field, next) {
      if (field.type !== 'LONGLONG') return next();
      const digits = field.string();
      return digits === null ? null : BigInt(digits);
    },
    // The server must not request files of this machine.
    flags: ['-LOCAL_FILES'],
  });
}

/** The files are read again for each connection, because certificates are renewed. @throws {Error} if a file cannot be read. */
function tlsOptions({ sslMode, sslFiles }: ConnectionString): { readonly ssl?: SslOptions } {
  if (sslMode === undefined || sslMode === 'DISABLED') return {};
  const ssl = { rejectUnauthorized: sslMode !== 'REQUIRED', verifyIdentity: sslMode === 'VERIFY_IDENTITY' };
  for (const [name, path] of Object.entries(sslFiles)) {
    readPem(name, path);
    Object.defineProperty(ssl, name, { get: () => readPem(name, path) });
  }
  return { ssl };
}

function readPem(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw invalidUrl(`ssl-${name}: ${isMissing ? 'no such file' : 'the file cannot be read'}`);
  }
}

/** Adapts the sessions to Kysely's pool interface. */
function kyselyPool({ acquire, release, end }: SessionPool<Session>): MysqlPool {
  async function getConnection() {
    const session = await acquire();
    const query = callbackify((sql: string, values: readonly unknown[]) => session.query(sql, values));
    return { query, release: () => release(session) } as unknown as MysqlPoolConnection;
  }
  return { getConnection: callbackify(getConnection), end: callbackify(end) };
}

/**
 * - `names`: in gbk and sjis a character may contain the byte of a backslash or a quote, which breaks escaping.
 * - `sql_mode`: strict, so that values are not truncated. It excludes NO_BACKSLASH_ESCAPES and ANSI_QUOTES, which break escaping.
 *   With NO_AUTO_VALUE_ON_ZERO the id 0 is an id.
 * - `completion_type`: with CHAIN a commit would begin a transaction that holds the next plants.
 * - `unique_checks`: without it MariaDB loses stored plants if another row of their transaction is rejected.
 * - Lock timeouts: 1 s, the shortest that MySQL allows. Without waiting, every concurrent commit would be a conflict.
 * - The isolation level needs its own statement, because its variable has different names. No outcome may depend on uncommitted rows.
 */
const SESSION_SETTINGS = [
  `set names utf8mb4 collate utf8mb4_bin, session autocommit = 1, session lc_messages = 'en_US',
    session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO',
    session completion_type = 'NO_CHAIN', session unique_checks = 1, session group_concat_max_len = 1048576,
    session innodb_lock_wait_timeout = 1, session lock_wait_timeout = 1`,
  'set session transaction isolation level repeatable read, read write',
];

/** A session of a MySQL server, on a connection of mysql2's pool. */
export class Session extends DriverSession {
  /** The longest statement that the server accepts, in bytes. */
  maxAllowedPacket = Infinity;
  readonly #connection: PoolConnection;
  readonly #socket: Socket;
  readonly #dropAfterMs: number;

  /**
   * @param socket the connection's socket, to close it even if the server hangs.
   * @param dropAfterMs the default timeout of a statement in milliseconds.
   */
  constructor(connection: PoolConnection, socket: Socket, dropAfterMs: number) {
    super();
    this.#connection = connection;
    this.#socket = socket;
    this.#dropAfterMs = dropAfterMs;
  }

  /**
   * Runs a statement with values for its question marks, and resolves with mysql2's result. A list of lists becomes `(…), (…)`.
   *
   * @param withinMs its timeout in milliseconds. After a timeout the connection is closed.
   * @throws {Error} mysql2's error, which holds the statement.
   */
  async query(sql: string, values: readonly unknown[] = [], withinMs = this.#dropAfterMs): Promise<unknown> {
    this.assertUsable();
    const timeout = withinMs < Infinity ? withinMs : 0;
    const text = `${OWN} ${format(sql, values as never[])}`;
    // A UTF-16 unit takes at most 3 bytes, so few statements have to be measured.
    if (text.length * 3 >= this.maxAllowedPacket && Buffer.byteLength(text) >= this.maxAllowedPacket)
      throw packetTooLarge(this.maxAllowedPacket);
    const run = () =>
      new Promise((resolve, reject) => {
        this.#connection.query({ sql: text, timeout }, (error, rows) => (error ? reject(error) : resolve(rows)));
      });
    // After a failed begin the isolation level would apply to the next transaction.
    return this.track(run, mysqlErrors, /^(begin|rollback)$/.test(sql));
  }

  command(sql: string): Promise<unknown> {
    return this.query(sql);
  }

  override get failure(): Error | undefined {
    return this.fault ?? (this.#socket.destroyed ? new Error('the server closed it') : undefined);
  }

  release(): void {
    if (this.failure) this.#connection.destroy();
    else this.#connection.release();
  }

  destroy(): void {
    this.fault ??= new Error('the connection is closed');
    this.#socket.destroy(this.fault);
  }
}
