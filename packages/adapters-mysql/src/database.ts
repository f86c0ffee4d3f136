import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import { type CompleteServerOptions, withTimeout } from '@plant-store/store-kit';
import { type SessionPool, type SqlDatabase, sessionPool, withoutMigrationLock } from '@plant-store/store-kit/sql';
import { Kysely, type Logger, MysqlDialect, type MysqlPool, type MysqlPoolConnection } from 'kysely';
import { createPool, type Pool, type PoolConnection, type SslOptions } from 'mysql2';
import { type ConnectionString, parseConnectionString, unusable } from './connection-string.ts';
import { isFull, mysqlErrors } from './errors.ts';
import { Session } from './session.ts';

/** A database, not yet connected. Destroying `db` closes the sessions. */
export type MysqlDatabase = SqlDatabase<Session>;

/**
 * @param traits.check looks at a new session. @throws {Error} when it must not be used.
 * @param traits.log is told of every statement of Kysely's, and of its error.
 * @throws {Error} when the connection string cannot be used.
 */
export function openDatabase(
  options: CompleteServerOptions,
  { check = async () => {}, log }: { check?: (session: Session) => Promise<void>; log?: Logger } = {},
): MysqlDatabase {
  const { connectWithinMs, onError } = options;
  const sockets = new Map<object, Socket>();
  const pool = openPool(options, sockets);
  const opened = new WeakMap<PoolConnection, Session>();
  const idle = new Set<PoolConnection>();
  pool.on('acquire', (connection: PoolConnection) => idle.delete(connection));
  pool.on('release', (connection: PoolConnection) => idle.add(connection));
  pool.on('connection', (connection: PoolConnection) => {
    const socket = sockets.get(connection.config) as Socket;
    opened.set(connection, new Session(connection, socket));
    socket.once('close', () => idle.delete(connection));
    // What is lost while it is lent, whoever has it learns by its statement. Without a listener it would end this process.
    connection.on('error', ({ message }) => {
      if (idle.delete(connection)) onError(new Error(`idle connection to MySQL lost: ${message}`));
    });
  });

  async function take(): Promise<Session> {
    const taking = new Promise<PoolConnection>((resolve, reject) => {
      pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection)));
    });
    try {
      // mysql2 would wait without a limit.
      return opened.get(await withTimeout(taking, connectWithinMs)) as Session;
    } catch (error) {
      taking.then((late) => late.release()).catch(() => {});
      throw error;
    }
  }

  /** Whatever the server has by default, or runs on connecting (`init_connect`). */
  async function prepare(session: Session): Promise<void> {
    for (const statement of SESSION) await session.query(statement, [], connectWithinMs);
    await check(session);
  }

  async function end(): Promise<void> {
    pool.end(() => {});
    // A server that hangs would keep them, and this process, for ever.
    for (const socket of sockets.values()) socket.destroySoon();
  }

  const source = { server: 'MySQL', take, prepare, idle: () => idle.size, isFull, end, errors: mysqlErrors };
  const sessions = sessionPool<Session>(source, options);
  const dialect = withoutMigrationLock(new MysqlDialect({ pool: kyselyPool(sessions) }));
  return { sessions, db: new Kysely({ dialect, ...(log && { log }) }) };
}

/** @param sockets gets those that are open, by the configuration of their connection. */
function openPool(
  { connectionString, poolSize, connectWithinMs }: CompleteServerOptions,
  sockets: Map<object, Socket>,
): Pool {
  const to = parseConnectionString(connectionString);
  const { host, port, user, password, database } = to;
  return createPool({
    ...{ host, port, user, password, database, ...tlsOptions(to) },
    connectionLimit: poolSize,
    // A burst does not connect anew, and a quiet store gives its connections back; a pool of one keeps it.
    maxIdle: Math.max(1, poolSize - 1),
    idleTimeout: 10_000,
    connectTimeout: connectWithinMs,
    stream({ config }: { readonly config: object }) {
      const socket = connect({ host, port, noDelay: true, keepAlive: true });
      sockets.set(config, socket);
      return socket.once('close', () => sockets.delete(config));
    },
    // Every int64 is exact.
    typeCast(field, next) {
      if (field.type !== 'LONGLONG') return next();
      const digits = field.string();
      return digits === null ? null : BigInt(digits);
    },
    // No file of this machine for the server.
    flags: ['-LOCAL_FILES'],
  });
}

/** Files are read for each connection: a certificate may have been renewed. @throws {Error} when one cannot be read now. */
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
    throw unusable(`ssl-${name}: ${isMissing ? 'no such file' : 'the file cannot be read'}`);
  }
}

/** The sessions as Kysely's dialect takes a pool. */
function kyselyPool({ acquire, release, end }: SessionPool<Session>): MysqlPool {
  async function getConnection() {
    const session = await acquire();
    const query = callbackify((sql: string, values: readonly unknown[]) => session.query(sql, values));
    return { query, release: () => release(session) } as unknown as MysqlPoolConnection;
  }
  return { getConnection: callbackify(getConnection), end: callbackify(end) };
}

/**
 * UTF-8, in which no character holds the byte of a backslash or a quote: in gbk or sjis an escaped text could end early.
 * Strict, so that no value is cut to fit; without NO_BACKSLASH_ESCAPES and ANSI_QUOTES, which would change what an escaped
 * text means; an id of 0 stays one. A commit begins no transaction, in which the next plants would stay. Without `unique_checks`
 * MariaDB loses plants that it has stored when one of the same transaction is refused. Locks are waited for 1 s, the shortest that
 * MySQL allows: a commit takes milliseconds, and not to wait would make a conflict of each that another writer is about to end.
 * No outcome may rest on what is not committed: the isolation is a statement of its own, since its variable has not the same name
 * everywhere.
 */
const SESSION = [
  `set names utf8mb4 collate utf8mb4_bin, session autocommit = 1, session lc_messages = 'en_US',
    session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO',
    session completion_type = 'NO_CHAIN', session unique_checks = 1, session group_concat_max_len = 1048576,
    session innodb_lock_wait_timeout = 1, session lock_wait_timeout = 1`,
  'set session transaction isolation level repeatable read, read write',
];
