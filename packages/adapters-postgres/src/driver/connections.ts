import { sharedTimeout } from '@plant-store/sql-store';
import { openServerPool, type ServerPool } from '@plant-store/sql-store/pool';
import type pg from 'pg';
import { postgresErrors } from '../errors.ts';
import type { CompleteOptions } from '../options.ts';
import { cancelStatement } from './cancel-statement.ts';
import { checkSession, type Fault } from './check-session.ts';
import { parseConnectionString } from './connection-string.ts';
import { assertReadable, cutOff, openSession, type Session } from './session.ts';

/** The connections of a store. */
export interface Connections extends ServerPool<Session> {
  /** Runs statements on a connection. @throws what `use` of the pool and of the {@link Session} throw. */
  run<Result>(statements: (client: pg.ClientBase) => Promise<Result>): Promise<Result>;
}

/** How a store's connections differ from those of plain PostgreSQL. */
export interface Traits {
  /** Called with what makes a new connection unfit for adds; it may throw. */
  readonly onFault?: (fault: Fault) => void;
  /** Whether the server reports what happened between it and another server, and the connection to it is well. */
  readonly isRemote?: (error: pg.DatabaseError) => boolean;
}

/**
 * With several hosts, as in `postgres://user:password@a:5432,b:5432/database`, connections go to the primary. This is
 * libpq's `target_session_attrs=read-write`, which pg does not know.
 *
 * @throws {Error} when the connection string cannot be used.
 */
export function openConnections(
  options: CompleteOptions,
  { onFault, isRemote = () => false }: Traits = {},
): Connections {
  const { urls, queryTimeoutMs = options.dropAfterMs } = parseConnectionString(options.connectionString);
  for (const url of urls) assertReadable(url);
  // Not pg's `query_timeout`, which has a timer for each statement.
  const timeout = sharedTimeout<pg.ClientBase>(queryTimeoutMs, (client) => {
    // First, so that its backend ends before a new connection has one.
    cancelStatement(client);
    cutOff(client, new Error(`the server did not end a statement within ${queryTimeoutMs} ms`));
  });
  const verify = checkSession(options.table, urls.length > 1, onFault);
  const pool = openServerPool(options, {
    server: 'PostgreSQL',
    hosts: urls,
    nameOf: (url) => new URL(url).host,
    open: (url, connectWithinMs, onLost) => openSession(url, { connectWithinMs, verify, timeout, onLost, isRemote }),
    noHost: 'no host is a primary that can be reached',
    errors: postgresErrors,
  });
  return { ...pool, run: (statements) => pool.use(({ use }) => use(statements)) };
}
