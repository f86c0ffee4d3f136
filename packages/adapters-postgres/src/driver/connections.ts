import type { Socket } from 'node:net';
import { StoreUnavailable } from '@plant-store/domain';
import { keptConnections, type SharedTimeout, sharedTimeout } from '@plant-store/sql-store';
import pg from 'pg';
import { isConnectionError, StatementTimeout, storeUnavailable } from '../errors.ts';
import type { CompleteOptions } from '../options.ts';
import { cancelStatement } from './cancel-statement.ts';
import type { Fault } from './check-session.ts';
import { parseConnectionString } from './connection-string.ts';
import { type Hosts, openHosts } from './hosts.ts';
import { lostConnection } from './pool.ts';
import type { PoolClient } from './pool-client.ts';

/** A client of the pool, which it goes back to when it is released. */
type PooledClient = PoolClient & pg.PoolClient;

/** The connections of a store. Each is dropped exactly when it cannot be used again. */
export interface Connections {
  /**
   * Runs statements on a connection, and releases it.
   *
   * @throws what {@link Connections.connect} and {@link Connection.use} throw.
   */
  run<Result>(statement: (client: PoolClient) => Promise<Result>): Promise<Result>;
  /** @throws {StoreUnavailable} when there is none within `connectWithinMs`. */
  connect(): Promise<Connection>;
  /** Cuts off what still runs: its callers have been answered. */
  end(): Promise<void>;
}

/** A connection that nobody else uses until it is released. */
export interface Connection {
  /**
   * Runs statements on it, which together may take `dropAfterMs`, or what the URL's `query_timeout` says.
   *
   * @throws {StoreUnavailable} when the connection is lost, or the wait for a standby was cancelled; other errors of
   * PostgreSQL come as they are.
   */
  use<Result>(statement: (client: PoolClient) => Promise<Result>): Promise<Result>;
  /** @throws {Error} when it has been released: somebody else may be using it. */
  release(destroy?: boolean): void;
}

/** How a store's connections differ from those of plain PostgreSQL. */
export interface Traits {
  /** Called with what makes a new connection unfit for adds; it may throw. */
  readonly onFault?: (fault: Fault) => void;
  /** Whether the server reports what happened between it and another server, and the connection to it is well. */
  readonly isRemote?: (error: pg.DatabaseError) => boolean;
}

/**
 * @param given those to connect to, instead of the options' own.
 * @throws {Error} when the connection string cannot be used.
 */
export function openConnections(options: CompleteOptions, traits: Traits = {}, given?: Hosts): Connections {
  const { queryTimeoutMs = options.dropAfterMs } = parseConnectionString(options.connectionString);
  // Not pg's `query_timeout`, which has a timer for each statement.
  const timeout = sharedTimeout<PooledClient>(queryTimeoutMs, (client) => {
    // First, so that its backend ends before a new connection has one.
    cancelStatement(client);
    cutOff(client, new StatementTimeout(queryTimeoutMs));
  });
  const inUse: PooledClient[] = [];
  let waiting = 0;
  let isEnding = false;
  const kept = keptConnections<PooledClient>(
    (client) => client.release(),
    () => waiting > 0 || isEnding,
  );
  const hosts = given ?? openHosts(options, () => kept.count, traits.onFault);

  async function fromPool(): Promise<PooledClient> {
    waiting += 1;
    const client = await connected(hosts).finally(() => {
      waiting -= 1;
    });
    client.onLost = ({ message }) => {
      // While it is used, its statement fails; once it is back, the pool reports it.
      if (!kept.drop(client)) return;
      client.release();
      options.onError(lostConnection(message));
    };
    return client;
  }

  function lend(client: PooledClient): Connection {
    if (isEnding) {
      cutOff(client);
      client.release(true);
      throw new StoreUnavailable('the PostgreSQL store is closed');
    }
    inUse.push(client);
    return connection(client, timeout, traits, (isGood) => {
      inUse.splice(inUse.indexOf(client), 1);
      if (isGood) kept.keep(client);
      else client.release(true);
    });
  }

  return {
    async run(statement) {
      // Not through `connect`: where a connection is kept, there is nothing to wait for.
      const { use, release } = lend(kept.take() ?? (await fromPool()));
      try {
        return await use(statement);
      } finally {
        release();
      }
    },
    connect: async () => lend(kept.take() ?? (await fromPool())),
    async end() {
      isEnding = true;
      kept.giveBack();
      const ended = hosts.end();
      for (const client of [...inUse]) cutOff(client);
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

/**
 * Without a Terminate message: a server that hangs would not close the connection, and the pool would wait for it.
 *
 * @param error what the statement that runs on it fails with.
 */
function cutOff(client: pg.ClientBase, error?: Error): void {
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream.destroy(error);
}

function connection(
  client: PooledClient,
  timeout: SharedTimeout<PooledClient>,
  { isRemote = () => false }: Traits,
  onRelease: (isGood: boolean) => void,
): Connection {
  let failure: StoreUnavailable | undefined;
  let isReleased = false;
  return {
    async use(statement) {
      // Kysely would roll back on it, and wait for that as long again.
      if (failure) throw failure;
      client.cancelledWait = undefined;
      timeout.started(client);
      try {
        const result = await statement(client);
        if (client.cancelledWait === undefined) return result;
      } catch (error) {
        if (!isConnectionError(error) || (error instanceof pg.DatabaseError && isRemote(error))) throw error;
        failure = storeUnavailable(error);
        throw failure;
      } finally {
        timeout.ended(client);
      }
      throw storeUnavailable(client.cancelledWait);
    },
    release(destroy = false) {
      if (isReleased) throw new Error('the connection has been released already');
      isReleased = true;
      onRelease(failure === undefined && !destroy);
    },
  };
}
