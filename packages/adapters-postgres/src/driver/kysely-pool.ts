import type { Socket } from 'node:net';
import { StoreUnavailable } from '@plant-store/domain';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { isConnectionError, isQueryTimeout, storeUnavailable } from '../errors.ts';
import { cancelStatement } from './cancel-statement.ts';
import type { Hosts } from './hosts.ts';
import type { PreparedStatements } from './prepared-statements.ts';

/**
 * The pool as Kysely's PostgresDriver sees it. The driver releases every connection as a good one, whatever happened on
 * it; `pool.query` would drop one for every SQL error. Here a connection is dropped exactly when it cannot be used
 * again. Such a pool is less code than such a driver: transactions and all the rest stay Kysely's.
 *
 * A failure to connect, and one that breaks the connection, is thrown as {@link StoreUnavailable}; other errors of
 * PostgreSQL come as they are.
 *
 * @param statements runs the statements that have parameters; without it, none is prepared.
 */
export function kyselyPool(hosts: Hosts, statements: PreparedStatements | undefined): PostgresPool {
  const inUse = new Set<pg.PoolClient>();
  let isEnding = false;
  return {
    // Kysely would connect with these to cancel statements; this adapter cancels without them.
    options: {},
    async connect() {
      const client = await connected(hosts);
      if (isEnding) {
        cutOff(client);
        client.release(true);
        throw new StoreUnavailable('the PostgreSQL store is closed');
      }
      inUse.add(client);
      return pooled(client, statements, () => inUse.delete(client));
    },
    /** Cuts off what still runs: its callers have been answered. */
    async end() {
      isEnding = true;
      const ended = hosts.end();
      for (const client of inUse) cutOff(client);
      await ended;
    },
  };
}

/** Without a Terminate message: a server that hangs would not close the connection, and the pool would wait for it. */
function cutOff(client: pg.PoolClient): void {
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream.destroy();
}

async function connected(hosts: Hosts): Promise<pg.PoolClient> {
  try {
    return await hosts.connect();
  } catch (error) {
    throw storeUnavailable(error);
  }
}

function pooled(
  client: pg.PoolClient,
  statements: PreparedStatements | undefined,
  onRelease: () => void,
): PostgresPoolClient {
  let failure: StoreUnavailable | undefined;
  async function run(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    // Kysely would roll back on it, and wait for that as long again.
    if (failure) throw failure;
    try {
      if (statements && values.length > 0) return await statements.run(client, text, values);
      return await client.query(text, [...values]);
    } catch (error) {
      if (!isConnectionError(error)) throw error;
      failure = storeUnavailable(error);
      if (isQueryTimeout(error)) cancelStatement(client);
      throw failure;
    }
  }
  const query = (text: string, values?: readonly unknown[]) => acknowledged(client, () => run(text, values));
  return {
    // Kysely's type has a form for cursors as well, which only streaming needs.
    query: query as unknown as PostgresPoolClient['query'],
    release(destroy = false) {
      onRelease();
      client.release(failure !== undefined || destroy);
    },
  };
}

/**
 * Fails if the statement's wait for a standby was cancelled. PostgreSQL reports success all the same, with a warning
 * that the commit may be lost with the primary.
 */
async function acknowledged<T>(client: pg.PoolClient, statement: () => Promise<T>): Promise<T> {
  const warnings: Error[] = [];
  const listen = (notice: { routine?: string | undefined; message: string | undefined }) => {
    // By the function that warns: the message is in the server's language, and its code is that of any warning.
    if (notice.routine === 'SyncRepWaitForLSN') warnings.push(new Error(notice.message));
  };
  client.on('notice', listen);
  try {
    const result = await statement();
    for (const warning of warnings) throw storeUnavailable(warning);
    return result;
  } finally {
    client.off('notice', listen);
  }
}
