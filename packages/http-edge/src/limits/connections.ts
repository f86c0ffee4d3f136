import type { Server } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { ErrorRecords } from '../errors/error-records.ts';
import { endConnection } from '../errors/raw-response.ts';
import { type Connection, connectionOf, type Exchange } from '../exchange/exchange.ts';
import { OrderedList } from '../exchange/ordered-list.ts';
import { newRequestId } from '../exchange/request-id.ts';

/** How many clients may be refused with a response at once; those beyond are dropped without one. */
const REFUSED_AT_ONCE = 1_000;

/** The log has at most one line about it in this time, in milliseconds. */
const REPORT_EVERY_MS = 1_000;

/** The limit on connections; it has to know which of them are idle. */
export interface ConnectionLimit {
  readonly opened: (exchange: Exchange) => void;
  readonly closed: (exchange: Exchange) => void;
}

/**
 * Limits how many connections are open at once. At the limit, a new one replaces the one that has been idle longest, which
 * clients have to expect at any time (RFC 9112 section 9.5). If none is idle, the new one is responded to with 503 before
 * anything is read from it.
 *
 * @param onRefused called for each such response.
 */
export function limitConnections(
  server: Server,
  max: number,
  log: FastifyBaseLogger,
  errors: ErrorRecords,
  onRefused: (method: undefined, status: number) => void,
): ConnectionLimit {
  // In the order in which they became idle.
  const idle = new OrderedList<Connection>();
  const counts = { closedIdle: 0, refused: 0, dropped: 0 };
  let open = 0;
  let reporting = false;

  server.maxConnections = max + REFUSED_AT_ONCE;
  server.on('drop', () => count('dropped'));
  server.on('connection', (socket) => {
    const connection = connectionOf(socket);
    open += 1;
    socket.once('close', () => {
      open -= 1;
      idle.delete(connection);
    });
    if (open <= max || closeLongestIdle()) idle.add(connection);
    else refuse(connection);
  });

  return {
    opened: ({ connection }) => idle.delete(connection),
    closed(exchange) {
      const { connection } = exchange;
      // Of pipelined requests, only the last one leaves the connection idle.
      if (!connection.socket.destroyed && connection.latest === exchange) idle.add(connection);
    },
  };

  function closeLongestIdle(): boolean {
    const longest = idle.first;
    if (!longest) return false;
    idle.delete(longest);
    longest.socket.destroy();
    count('closedIdle');
    return true;
  }

  function refuse(connection: Connection): void {
    connection.closeAfterResponse = true;
    const record = errors('overloaded', 'the service has too many connections; retry the same request');
    if (endConnection(connection.socket, record, newRequestId())) onRefused(undefined, record.status);
    count('refused');
  }

  function count(what: keyof typeof counts): void {
    counts[what] += 1;
    if (reporting) return;
    reporting = true;
    setTimeout(() => {
      log.warn({ maxConnections: max, ...counts }, 'connection limit reached');
      Object.assign(counts, { closedIdle: 0, refused: 0, dropped: 0 });
      reporting = false;
    }, REPORT_EVERY_MS).unref();
  }
}
