import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import { StoreUnavailable } from '@plant-store/domain';
import { type CompleteServerOptions, UnsafeStore, withTimeout } from '@plant-store/store-kit';
import { type Database, type SessionPool, sessionPool, withoutMigrationLock } from '@plant-store/store-kit/sql';
import { Kysely, type Logger, MysqlDialect, type MysqlPool, type MysqlPoolConnection } from 'kysely';
import { createPool, type Pool, type PoolConnection, type SslOptions } from 'mysql2';
import { type ConnectionString, parseConnectionString, unusable } from './connection-string.ts';
import { isFull, mysqlErrors } from './errors.ts';
import { Session } from './session.ts';

/** A database, not yet connected. Both share its sessions. */
export interface MysqlDatabase {
  readonly sessions: SessionPool<Session>;
  /** Destroying it closes the sessions. */
  readonly db: Kysely<Database>;
}

/**
 * @param log is told of every statement of Kysely's, and of its error.
 * @throws {Error} when the connection string cannot be used.
 */
export function openDatabase(options: CompleteServerOptions, log?: Logger): MysqlDatabase {
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
    session.maxAllowedPacket = await checkServer(session, connectWithinMs);
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
 * text means. Locks are waited for 1 s, the shortest that MySQL allows: a commit takes milliseconds, and not to wait would make
 * a conflict of each that another writer is about to end. No outcome may rest on what is not committed: the isolation is a
 * statement of its own, since its variable has not the same name everywhere.
 */
const SESSION = [
  `set names utf8mb4 collate utf8mb4_bin, session autocommit = 1, session lc_messages = 'en_US',
    session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION',
    session innodb_lock_wait_timeout = 1, session lock_wait_timeout = 1`,
  'set session transaction isolation level repeatable read',
];

/**
 * Refuses a server whose commits would not be durable, which no client would notice: a crash loses what was acknowledged last.
 * No session can override these settings.
 *
 * @param withinMs how long that may take.
 * @returns the longest statement that it takes, in bytes.
 * @throws {UnsafeStore} with what to change; {@link StoreUnavailable} when the server is not one that writes.
 */
export async function checkServer(session: Session, withinMs: number): Promise<number> {
  const [found] = (await session.query(CHECK, [], withinMs)) as [{ setting: string; engine: string; bytes: bigint }];
  const { setting, engine, bytes } = found;
  if (setting === 'read_only')
    throw new StoreUnavailable('MySQL: the server is read-only: connect to the one that writes');
  if (setting)
    throw new UnsafeStore(
      `MySQL: ${setting} is not 1, so a crash of the server loses what was acknowledged: set it to 1 (SET GLOBAL ${setting} = 1, and in the server's configuration file)`,
    );
  if (engine) throw new UnsafeStore(`MySQL: ${engine}, which syncs no commit: run ALTER TABLE … ENGINE = InnoDB`);
  return Number(bytes);
}

const CHECK = `select
  case when @@innodb_flush_log_at_trx_commit <> 1 then 'innodb_flush_log_at_trx_commit'
    when @@log_bin and @@sync_binlog <> 1 then 'sync_binlog'
    when concat(@@read_only) not in ('0', 'OFF') then 'read_only' end as setting,
  (select min(concat('the engine of the table ', table_name, ' is ', engine)) from information_schema.tables
    where table_schema = database() and table_name in ('plants', 'plant_store_sync') and engine <> 'InnoDB') as engine,
  @@max_allowed_packet as bytes`;
