import type { Socket } from 'node:net';
import { StoreUnavailable } from '@plant-store/domain';
import type pg from 'pg';
import { isConnectionError, isQueryTimeout, storeUnavailable } from '../errors.ts';
import { cancelStatement } from './cancel-statement.ts';
import type { Hosts } from './hosts.ts';
import type { PoolClient } from './pool-client.ts';

/** A client of the pool, which it goes back to when it is released. */
type PooledClient = PoolClient & pg.PoolClient;

/** The connections of a store. Each is dropped exactly when it cannot be used again. */
export interface Connections {
  /** @throws {StoreUnavailable} when there is none within `connectWithinMs`. */
  connect(): Promise<Connection>;
  /** Cuts off what still runs: its callers have been answered. */
  end(): Promise<void>;
}

/** A connection that nobody else uses until it is released. */
export interface Connection {
  /**
   * Runs statements on it.
   *
   * @throws {StoreUnavailable} when the connection is lost, or the wait for a standby was cancelled; other errors of
   * PostgreSQL come as they are.
   */
  use<Result>(statement: (client: PoolClient) => Promise<Result>): Promise<Result>;
  release(destroy?: boolean): void;
}

export function openConnections(hosts: Hosts): Connections {
  let inUse: PooledClient[] = [];
  let isEnding = false;
  return {
    async connect() {
      const client = await connected(hosts);
      if (isEnding) {
        cutOff(client);
        client.release(true);
        throw new StoreUnavailable('the PostgreSQL store is closed');
      }
      inUse.push(client);
      return connection(client, () => {
        inUse = inUse.filter((each) => each !== client);
      });
    },
    async end() {
      isEnding = true;
      const ended = hosts.end();
      for (const client of inUse) cutOff(client);
      await ended;
    },
  };
}

async function connected(hosts: Hosts): Promise<PooledClient> {
  try {
    // Every pool makes its clients of this class, which pg's types cannot say.
    return (await hosts.connect()) as PooledClient;
  } catch (error) {
    throw storeUnavailable(error);
  }
}

/** Without a Terminate message: a server that hangs would not close the connection, and the pool would wait for it. */
function cutOff(client: PooledClient): void {
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream.destroy();
}

function connection(client: PooledClient, onRelease: () => void): Connection {
  let failure: StoreUnavailable | undefined;
  return {
    async use(statement) {
      // Kysely would roll back on it, and wait for that as long again.
      if (failure) throw failure;
      client.cancelledWait = undefined;
      try {
        const result = await statement(client);
        if (client.cancelledWait === undefined) return result;
      } catch (error) {
        if (!isConnectionError(error)) throw error;
        failure = storeUnavailable(error);
        if (isQueryTimeout(error)) cancelStatement(client);
        throw failure;
      }
      throw storeUnavailable(client.cancelledWait);
    },
    release(destroy = false) {
      onRelease();
      client.release(failure !== undefined || destroy);
    },
  };
}
