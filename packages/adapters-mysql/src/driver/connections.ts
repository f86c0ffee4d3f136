import type { Socket } from 'node:net';
import { sharedTimeout } from '@plant-store/sql-store';
import { openServerPool, type ServerPool } from '@plant-store/sql-store/pool';
import { MysqlError, mysqlErrors } from '../errors.ts';
import type { CompleteOptions } from '../options.ts';
import { parseConnectionString } from './connection-string.ts';
import { openSession, type Session, sslOptions } from './session.ts';

/** The connections of a store to one server, or to whichever of several can write. */
export type Connections = ServerPool<Session>;

/** @throws {Error} when the connection string cannot be used. */
export function openConnections(options: CompleteOptions): Connections {
  const { dropAfterMs, table } = options;
  const to = parseConnectionString(options.connectionString);
  // A file that is missing is the operator's mistake and must not look like an outage later.
  sslOptions(to);
  const timeout = sharedTimeout<Socket>(dropAfterMs, (socket) =>
    socket.destroy(new MysqlError(`the server did not end a statement within ${dropAfterMs} ms`, {})),
  );
  return openServerPool(options, {
    server: 'MySQL',
    hosts: to.hosts,
    nameOf: ({ host, port }) => `${host}:${port}`,
    open: (host, connectWithinMs, onLost) => openSession(to, host, { table, connectWithinMs, timeout, onLost }),
    noHost: 'no host can be reached that writes',
    errors: mysqlErrors,
  });
}
