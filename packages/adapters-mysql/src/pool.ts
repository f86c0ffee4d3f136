import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { CompleteServerOptions, Database } from '@plant-store/store-kit';
import { Kysely, MysqlDialect, type MysqlPool, type MysqlPoolConnection } from 'kysely';
import { type ConnectionOptions, createConnection, createPool, type PoolConnection, type SslOptions } from 'mysql2';
import { type ConnectionString, invalidUrl, parseConnectionString } from './connection-string.ts';

/**
 * Makes Kysely on a pool of mysql2, which connects on first use. `destroy` closes the connections, and statements in flight fail.
 *
 * @param timeoutMs the timeout of each statement.
 * @throws {StoreMisconfigured} if the connection string cannot be used.
 */
export function openPool(options: CompleteServerOptions, timeoutMs: number): Kysely<Database> {
  const { poolSize, observer, onError } = options;
  const sockets = new Set<Socket>();
  const connectionOptions = toConnectionOptions(options, sockets);
  const pool = createPool({
    ...connectionOptions,
    connectionLimit: poolSize,
    // mysql2 closes idle connections only beyond this number. Bursts reuse them for 10 s.
    maxIdle: Math.max(1, poolSize - 1),
    idleTimeout: 10_000,
  });
  const open = new Set<PoolConnection>();
  const used = new Set<PoolConnection>();
  let pending = 0;
  pool.on('connection', (connection) => {
    open.add(connection);
    // Before anything else, because a connection runs its statements in order.
    for (const statement of SESSION_SETTINGS)
      connection.query(statement, (error) => {
        if (error) connection.destroy();
      });
    connection.once('end', () => open.delete(connection));
    // Without a listener an error would end this process. If the connection is in use, its statement fails as well.
    connection.on('error', ({ message }) => {
      open.delete(connection);
      if (!used.has(connection)) onError(new Error(`idle connection to MySQL lost: ${message}`));
    });
  });
  observer.watchConnections(() => ({ used: used.size, idle: open.size - used.size, pending, max: poolSize }));

  /** Limits the time of each statement. After a timeout, further statements fail at once. */
  function limitStatements(connection: PoolConnection): MysqlPoolConnection {
    let fault: Error | undefined;
    // Not by mysql2's timeout, which begins when the connection has run the statements before.
    function query(sql: string, values: unknown[], callback: (error: unknown, result?: unknown) => void): void {
      if (fault) {
        callback(fault);
        return;
      }
      const timer = setTimeout(() => {
        fault = Object.assign(new Error(`no response within ${timeoutMs} ms`), { code: 'PROTOCOL_SEQUENCE_TIMEOUT' });
        used.delete(connection);
        destroyUnused();
        endSession(connection.threadId);
        callback(fault);
      }, timeoutMs);
      connection.query(sql, values, (error, result) => {
        clearTimeout(timer);
        if (!fault) callback(error, result);
      });
    }
    function release(): void {
      if (fault) return;
      used.delete(connection);
      connection.release();
    }
    // Kysely calls nothing else.
    return { query, release } as unknown as MysqlPoolConnection;
  }

  /** Destroys the connections that no statement uses. If one does not respond, they may be dead as well. */
  function destroyUnused(): void {
    for (const connection of open)
      if (!used.has(connection)) {
        connection.destroy();
        open.delete(connection);
      }
  }

  /** Ends a session on the server, which may not notice that its connection is closed. */
  function endSession(id: number): void {
    const control = createConnection(connectionOptions);
    control.on('error', () => {});
    control.query({ sql: `kill ${id}`, timeout: KILL_MS }, () => control.destroy());
  }

  const kyselyPool: MysqlPool = {
    getConnection(callback) {
      pending += 1;
      pool.getConnection((error, connection) => {
        pending -= 1;
        if (!error) used.add(connection);
        callback(error, error ? (connection as never) : limitStatements(connection));
      });
    },
    end(callback) {
      pool.end(() => {});
      // mysql2 waits for the server's response, so a server that hangs would keep this process alive.
      for (const socket of sockets) socket.destroySoon();
      callback(undefined);
    },
  };
  return new Kysely({ dialect: new MysqlDialect({ pool: kyselyPool }) });
}

/** @param sockets gets the socket of each open connection. */
function toConnectionOptions(
  { connectionString, connectWithinMs }: CompleteServerOptions,
  sockets: Set<Socket>,
): ConnectionOptions {
  const to = parseConnectionString(connectionString);
  const { host, port, user, password, database } = to;
  return {
    ...{ host, port, user, password, database, ...toTlsOptions(to) },
    connectTimeout: connectWithinMs,
    stream() {
      const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 10_000 });
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    // A JavaScript number cannot hold every int64.
    typeCast(field, next) {
      if (field.type !== 'LONGLONG') return next();
      const digits = field.string();
      return digits === null ? null : BigInt(digits);
    },
  };
}

/** @throws {StoreMisconfigured} if a file cannot be read. */
function toTlsOptions({ sslMode, sslFiles }: ConnectionString): { readonly ssl?: SslOptions } {
  if (sslMode === undefined || sslMode === 'DISABLED') return {};
  const files = Object.entries(sslFiles).map(([name, path]) => [name, readPem(name, path)]);
  const verification = { rejectUnauthorized: sslMode !== 'REQUIRED', verifyIdentity: sslMode === 'VERIFY_IDENTITY' };
  return { ssl: { ...verification, ...Object.fromEntries(files) } };
}

function readPem(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw invalidUrl(`ssl-${name}: the file cannot be read`);
  }
}

/** 1 s: the server is slow or frozen, and then has its own time-outs. */
const KILL_MS = 1_000;

/**
 * - `names`: in gbk and sjis a character may contain the byte of a backslash or a quote, which breaks escaping.
 * - `sql_mode`: strict, so that values are not truncated. It excludes NO_BACKSLASH_ESCAPES and ANSI_QUOTES, which break escaping.
 *   With NO_AUTO_VALUE_ON_ZERO the id 0 is an id.
 * - `completion_type`: with CHAIN a commit would begin a transaction that holds the next plants.
 * - `unique_checks`: without it MariaDB loses stored plants if another row of their transaction is rejected.
 * - Lock timeouts: 1 s, the shortest that MySQL allows.
 * - The isolation level needs its own statement, because its variable has different names. No outcome may depend on uncommitted rows.
 */
const SESSION_SETTINGS = [
  `set names utf8mb4 collate utf8mb4_bin, session autocommit = 1, session lc_messages = 'en_US',
    session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO',
    session completion_type = 'NO_CHAIN', session unique_checks = 1,
    session innodb_lock_wait_timeout = 1, session lock_wait_timeout = 1`,
  'set session transaction isolation level repeatable read, read write',
];
