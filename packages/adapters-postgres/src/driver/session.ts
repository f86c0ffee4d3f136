import type { Socket } from 'node:net';
import type { StoreUnavailable } from '@plant-store/domain';
import type { SharedTimeout } from '@plant-store/sql-store';
import type { ServerSession } from '@plant-store/sql-store/pool';
import pg from 'pg';
import { isConnectionError, storeUnavailable } from '../errors.ts';
import type { VerifySession } from './check-session.ts';
import { unusable } from './connection-string.ts';

/** A session of a PostgreSQL server, which has been checked. */
export interface Session extends ServerSession {
  /**
   * Runs statements on it, which together may take `dropAfterMs`, or what the URL's `query_timeout` says.
   *
   * @throws {StoreUnavailable} when the connection is lost, or the wait for a standby was cancelled; other errors of
   * PostgreSQL come as they are.
   */
  use<Result>(statements: (client: pg.ClientBase) => Promise<Result>): Promise<Result>;
}

/** What a session is opened with. Times are in milliseconds. */
export interface SessionOptions {
  readonly connectWithinMs: number;
  /** Checks it before it is used. @throws {Error} when it must not be. */
  readonly verify: VerifySession;
  /** Watches statements. */
  readonly timeout: SharedTimeout<pg.ClientBase>;
  /** Called once when it is lost after it was opened. */
  readonly onLost: (error: Error) => void;
  /** Whether the server reports what happened between it and another server, and the connection to it is well. */
  readonly isRemote: (error: pg.DatabaseError) => boolean;
}

/**
 * Connects and checks the session. Files that the connection string names are read each time.
 *
 * No timeout is sent to the server, as `statement_timeout` would be: PgBouncer refuses it at start-up, and it does not
 * bound the wait for a standby. All timeouts are the client's.
 *
 * @throws {Error} when it cannot connect; what `verify` throws.
 */
export async function openSession(
  connectionString: string,
  { connectWithinMs, verify, timeout, onLost, isRemote }: SessionOptions,
): Promise<Session> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: connectWithinMs,
    types: { getTypeParser },
  });
  let isUsable = false;
  let failure: StoreUnavailable | undefined;
  // Of a wait for a standby. PostgreSQL reports success all the same, with a warning that the commit may be lost with the primary.
  let cancelledWait: Error | undefined;

  // Without a listener a terminated backend would end this process.
  client.on('error', (error) => {
    if (!isUsable) return;
    isUsable = false;
    onLost(error);
  });
  client.on('notice', ({ routine, message }) => {
    // By the function that warns: the message is in the server's language, and its code is that of any warning.
    if (routine === 'SyncRepWaitForLSN') cancelledWait = new Error(message);
  });
  try {
    await client.connect();
    await verify(client, connectWithinMs);
  } catch (error) {
    // If it fails on this side, for lack of a password, say, the server's end would otherwise stay open for a minute.
    cutOff(client);
    throw error;
  }
  isUsable = true;

  return {
    get isUsable() {
      return isUsable;
    },
    async use(statements) {
      // Kysely would roll back on it, and wait for that as long again.
      if (failure) throw failure;
      cancelledWait = undefined;
      timeout.started(client);
      try {
        const result = await statements(client);
        if (cancelledWait === undefined) return result;
      } catch (error) {
        if (!isConnectionError(error) || (error instanceof pg.DatabaseError && isRemote(error))) throw error;
        isUsable = false;
        failure = storeUnavailable(error);
        throw failure;
      } finally {
        timeout.ended(client);
      }
      throw storeUnavailable(cancelledWait);
    },
    destroy() {
      if (!isUsable) {
        cutOff(client);
        return;
      }
      isUsable = false;
      // With a Terminate message if nothing runs. The process need not wait for a server that hangs.
      streamOf(client).unref();
      void client.end();
    },
  };
}

/**
 * Without a Terminate message: a server that hangs would not close the connection.
 *
 * @param error what the statement that runs on it fails with.
 */
export function cutOff(client: pg.ClientBase, error?: Error): void {
  streamOf(client).destroy(error);
}

/** pg's types do not declare it. */
function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}

/** Reads an int64 as a bigint, for these clients alone: `pg.types` is shared by the whole process. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format as 'text');

/**
 * It would be read only on connecting, and the operator's mistake would look like an outage.
 *
 * @throws {Error} when a connection string cannot be read, or a file that it names.
 */
export function assertReadable(connectionString: string): void {
  try {
    new pg.Client({ connectionString });
  } catch (cause) {
    throw unusable((cause as Error).message, { cause });
  }
}
