import { hash } from 'node:crypto';
import { StoreUnavailable } from '@plant-store/domain';
import type { CompleteServerOptions, Database } from '@plant-store/store-kit';
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { invalidUrl, parseConnectionString } from './connection-string.ts';

/**
 * Opens a database with pg's pool. It connects on first use. All timeouts are the client's. PgBouncer rejects `statement_timeout` in the
 * startup message, and it does not bound the wait for a standby.
 *
 * @param timeoutMs the timeout of a statement, which is then cancelled.
 * @param preparesStatements by default the connection string decides.
 * @throws {Error} if the connection string cannot be used.
 */
export function openPool(
  { connectionString, poolSize, connectWithinMs, observer, onError }: CompleteServerOptions,
  timeoutMs: number,
  preparesStatements: boolean = parseConnectionString(connectionString).prepare,
): Kysely<Database> {
  const config: pg.PoolConfig = {
    connectionString: parseConnectionString(connectionString).url,
    max: poolSize,
    connectionTimeoutMillis: connectWithinMs,
    // Long enough for bursts to reuse connections.
    idleTimeoutMillis: 10_000,
    // A session that is never idle would not notice a changed setting of its role.
    maxLifetimeSeconds: 300,
    query_timeout: timeoutMs,
    allowExitOnIdle: true,
    types: { getTypeParser },
  };
  try {
    // Reads the certificates now. If pg read them on connecting, a wrong path would look like an outage.
    new pg.Client(config);
  } catch (cause) {
    throw invalidUrl((cause as Error).message, { cause });
  }
  let pool = createPool();
  observer.watchConnections(() => {
    const { totalCount, idleCount, waitingCount } = pool;
    return { used: totalCount - idleCount, idle: idleCount, pending: waitingCount, max: poolSize };
  });

  function createPool(): pg.Pool {
    const created = new pg.Pool(config);
    // The pool listens only while the client is idle. Without a listener a terminated backend would end this process.
    created.on('connect', (client) => void client.on('error', () => {}));
    // The pool emits this for idle clients alone. If a client is in use, its statement fails.
    created.on('error', ({ message }) => onError(new Error(`idle connection to PostgreSQL lost: ${message}`)));
    return created;
  }

  async function connect(): Promise<PostgresPoolClient> {
    const from = pool;
    const client: pg.PoolClient & Pick<PostgresPoolClient, 'processID'> = await from.connect();
    // The other connections may be dead or outdated as well, and each statement of theirs would have to fail.
    const replacePool = () => {
      // A closed store needs no other one.
      if (pool !== from || from.ending) return;
      pool = createPool();
      void from.end();
    };
    return guardClient(client, preparesStatements, {
      onOutdated: replacePool,
      onLate() {
        replacePool();
        void cancelStatement(config, client.processID);
      },
    });
  }

  return new Kysely({ dialect: new PostgresDialect({ pool: { options: {}, connect, end: () => pool.end() } }) });
}

/** Cancels a statement, because a backend that waits for a standby or a lock does not notice that its client has gone. */
async function cancelStatement(config: pg.ClientConfig, processId: number | undefined): Promise<void> {
  const client = new pg.Client(config);
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select pg_cancel_backend($1)', [processId]);
  } catch {
    // The server is unreachable or has no connection left. Then its own keep-alive has to end the statement.
  } finally {
    void client.end();
  }
}

/** Reads an int64 as a bigint. It is set for these clients alone, because `pg.types` is shared by the whole process. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format as 'text');

/**
 * Guards a client of the pool while it is in use:
 * - After a timeout, and after an error that its session would repeat, further statements fail at once, and the client is closed.
 * - A commit with a warning fails, because a standby may not have it. PostgreSQL only warns if the wait for the standby is cancelled.
 */
function guardClient(
  client: pg.PoolClient,
  preparesStatements: boolean,
  { onLate, onOutdated }: { readonly onLate: () => void; readonly onOutdated: () => void },
): PostgresPoolClient {
  let fault: Error | undefined;
  let warning: string | undefined;
  const listen = ({
    code,
    message,
    where,
  }: { readonly [Part in 'code' | 'message' | 'where']?: string | undefined }) => {
    // The severity is localized. One with a context is a trigger's.
    if (code?.startsWith('01') && where === undefined) warning = message;
  };
  client.on('notice', listen);

  async function query(text: string, values: readonly unknown[]) {
    if (fault) throw fault;
    warning = undefined;
    const name = preparesStatements && values.length > 0 ? { name: deriveName(text) } : {};
    const result = await client.query({ text, values: [...values], ...name }).catch((error: Error) => {
      const code = error instanceof pg.DatabaseError ? error.code : undefined;
      if (isTimeout(error)) onLate();
      if (OUTDATED.includes(code ?? '')) onOutdated();
      if (isTimeout(error) || OUTDATED.includes(code ?? '')) fault = error;
      throw error;
    });
    if (warning !== undefined)
      throw new StoreUnavailable(`PostgreSQL: the commit is not confirmed: ${warning}`, { cause: new Error(warning) });
    return result;
  }

  function release(destroy?: boolean): void {
    client.off('notice', listen);
    client.release(fault ?? destroy);
  }

  // Kysely's type has an overload for cursors, which only streaming needs.
  return { query: query as unknown as PostgresPoolClient['query'], release };
}

/** Whether a statement took longer than its timeout. */
export const isTimeout = (error: Error): boolean => error.message === 'Query read timeout';

/**
 * Errors that a session repeats: it is on a standby, its prepared statement is of the table before a change, or a pooler has given its prepared
 * statements to another server.
 */
const OUTDATED = ['25006', '0A000', '26000', '42P05'];

const names = new Map<string, string>();

/** Derives the name of a prepared statement from its text alone, because a pooler shares it among clients of all versions. */
function deriveName(text: string): string {
  const name = names.get(text) ?? `plant-store-${hash('sha256', text, 'hex').slice(0, 32)}`;
  names.set(text, name);
  return name;
}
