import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { StoreMisconfigured } from '@plant-store/domain';
import { type SharedTimeout, UnsafeStore } from '@plant-store/sql-store';
import type { ServerSession } from '@plant-store/sql-store/pool';
import { type ConnectionOptions, createConnection, type SslOptions } from 'mysql2';
import { isConnectionError, mysqlError } from '../errors.ts';
import { checkServer, prepareSession, type Query, type ServerSettings } from './check-session.ts';
import { type ConnectionString, unusable } from './connection-string.ts';

/** A connection to one server, whose commits are durable. */
export interface Session extends ServerSession, ServerSettings {
  /**
   * Runs a statement, with values in place of its question marks, and resolves with what mysql2 does: rows, or
   * `affectedRows` and so on.
   *
   * @throws {MysqlError} that shows no part of the statement.
   */
  query(sql: string, values?: readonly unknown[]): Promise<unknown>;
  /** Checks again that commits are durable. @throws {UnsafeStore} if not. */
  check(): Promise<void>;
}

/** What a connection is opened with. Times are in milliseconds. */
export interface SessionOptions {
  /** The table that has to be durable. */
  readonly table: string;
  readonly connectWithinMs: number;
  /** Watches statements; a connection whose statement is late is closed. */
  readonly timeout: SharedTimeout<Socket>;
  /** Called once when it is lost after it was opened. */
  readonly onLost: (error: Error) => void;
}

/**
 * Connects, sets the session up and checks the server.
 *
 * @throws {MysqlError} when it cannot connect; what {@link checkServer} throws.
 */
export async function openSession(
  to: ConnectionString,
  { host, port }: ConnectionString['hosts'][number],
  { table, connectWithinMs, timeout, onLost }: SessionOptions,
): Promise<Session> {
  const { user, password, database } = to;
  const ssl = sslOptions(to);
  // Not mysql2's own socket: it can only end that, for which a server that hangs never answers.
  const socket = connect(port, host).setNoDelay(true).setKeepAlive(true);
  const connection = createConnection({
    ...{ host, port, user, password, database, ...ssl, connectTimeout: connectWithinMs, stream: socket },
    ...EXACTLY,
  });
  let isUsable = true;
  let isOpen = false;

  function lost(error: Error): void {
    if (isUsable && isOpen) onLost(error);
    isUsable = false;
    socket.destroy();
  }
  function destroy(): void {
    isUsable = false;
    socket.destroy(new Error('the connection was closed'));
  }
  // Without a listener a lost connection would end the process; with one, a statement that runs on it fails all the same.
  connection.on('error', (error) => lost(mysqlError(error)));

  async function query(sql: string, values: readonly unknown[] = []): Promise<unknown> {
    if (isOpen) timeout.started(socket);
    try {
      return await new Promise((resolve, reject) => {
        // Only while connecting: mysql2's own limit has a timer for each statement.
        const limit = isOpen ? {} : { timeout: connectWithinMs };
        connection.query({ sql, values: [...values], ...limit }, (error, result) => {
          if (error) reject(mysqlError(error));
          else resolve(result);
        });
      });
    } catch (error) {
      if (isConnectionError(error)) lost(error as Error);
      throw error;
    } finally {
      timeout.ended(socket);
    }
  }

  try {
    await prepareSession(query as Query);
    const checked = () => checkServer(query as Query, `${host}:${port}`, table);
    const settings = await checked();
    isOpen = true;
    const check = async () => {
      try {
        await checked();
      } catch (error) {
        throw error instanceof StoreMisconfigured ? new UnsafeStore(error.message, { cause: error }) : error;
      }
    };
    const session: Omit<Session, 'isUsable'> = { ...settings, query, check, destroy };
    return Object.defineProperty(session, 'isUsable', { get: () => isUsable }) as Session;
  } catch (error) {
    destroy();
    throw error;
  }
}

/** Ids as text, so that every int64 is exact; every character of a text; no file of this machine for the server. */
const EXACTLY = {
  charset: 'utf8mb4',
  supportBigNumbers: true,
  bigNumberStrings: true,
  flags: ['-LOCAL_FILES'],
} satisfies ConnectionOptions;

/** Files are read each time: a certificate may have been renewed. @throws {Error} when one cannot be read. */
export function sslOptions({ sslMode, sslFiles }: ConnectionString): { readonly ssl?: SslOptions } {
  if (sslMode === undefined || sslMode === 'DISABLED') return {};
  const files = Object.entries(sslFiles).map(([name, path]) => [name, readPem(name, path)]);
  return {
    ssl: {
      ...Object.fromEntries(files),
      rejectUnauthorized: sslMode !== 'REQUIRED',
      verifyIdentity: sslMode === 'VERIFY_IDENTITY',
    },
  };
}

function readPem(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unusable(
      `ssl-${name}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : 'the file cannot be read'}`,
    );
  }
}
