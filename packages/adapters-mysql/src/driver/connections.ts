import type { Socket } from 'node:net';
import { sharedTimeout } from '@plant-store/sql-store';
import { openServerPool, type ServerPool } from '@plant-store/sql-store/pool';
import { isMisconfiguration, MysqlError, messageOf, storeUnavailable } from '../errors.ts';
import type { CompleteOptions } from '../options.ts';
import { parseConnectionString } from './connection-string.ts';
import { openSession, type Session, sslOptions } from './session.ts';

/** The connections of a store to one server, or to whichever of several can write. */
export type Connections = ServerPool<Session>;

/** @throws {Error} when the connection string cannot be used. */
export function openConnections(options: CompleteOptions): Connections {
  const { dropAfterMs, onError, onWarning, table } = options;
  const to = parseConnectionString(options.connectionString);
  // A file that is missing is the operator's mistake and must not look like an outage later.
  sslOptions(to);
  const timeout = sharedTimeout<Socket>(dropAfterMs, (socket) =>
    socket.destroy(new MysqlError(`the server did not end a statement within ${dropAfterMs} ms`, {})),
  );
  const onLost = ({ message }: Error) => onError(new Error(`idle connection to MySQL lost: ${message}`));
  return openServerPool(options, {
    server: 'MySQL',
    hosts: to.hosts,
    open: (host, connectWithinMs) => openSession(to, host, { table, connectWithinMs, timeout, onLost }),
    noHost: 'no host can be reached that writes',
    onPassedOver({ host, port }, error) {
      if (isMisconfiguration(error)) onWarning(`MySQL: ${host}:${port} is passed over: ${messageOf(error)}`);
    },
    storeUnavailable,
  });
}
