import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { statusOf } from '../errors/catalogue.ts';
import { endConnection } from '../errors/end-connection.ts';
import { endAfterThisRequest } from '../exchange/last-request.ts';
import { newRequestId } from '../exchange/request-id.ts';

/** How many callers may be told at once that there is no room; those beyond are dropped without a word. */
const TOLD_AT_ONCE = 1_000;

/** How often the log has a line about it, at most, in milliseconds. */
const REPORT_EVERY_MS = 1_000;

/**
 * Bounds how many connections are open at once. At the bound, a new one takes the place of the one that has been without
 * a request for the longest time, which callers have to expect at any time (RFC 9112 section 9.5). Where each has a request
 * under way, the new one is answered 503 before anything is read from it.
 *
 * @param onAnswer is told of each such answer.
 */
export function limitConnections(
  server: Server,
  max: number,
  log: FastifyBaseLogger,
  onAnswer: (method: undefined, status: number) => void,
): void {
  // In the order in which they became idle.
  const idle = new Set<Socket>();
  const latest = new WeakMap<Socket, ServerResponse>();
  const counts = { closedIdle: 0, refused: 0, dropped: 0 };
  let open = 0;
  let reporting = false;

  server.maxConnections = max + TOLD_AT_ONCE;
  server.on('drop', () => count('dropped'));
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
      idle.delete(socket);
    });
    if (open <= max || closeOneThatIsIdle()) idle.add(socket);
    else refuse(socket);
  });
  server.prependListener('request', ({ socket }, response) => {
    idle.delete(socket);
    latest.set(socket, response);
    response.once('close', () => {
      // Of pipelined requests, the last one leaves it idle.
      if (!socket.destroyed && latest.get(socket) === response) idle.add(socket);
    });
  });

  function closeOneThatIsIdle(): boolean {
    const [longest] = idle;
    if (!longest) return false;
    idle.delete(longest);
    longest.destroy();
    count('closedIdle');
    return true;
  }

  function refuse(socket: Socket): void {
    endAfterThisRequest(socket);
    const message = 'the service has too many connections right now; send the same request again';
    if (endConnection(socket, 'overloaded', message, newRequestId())) onAnswer(undefined, statusOf('overloaded'));
    count('refused');
  }

  function count(what: keyof typeof counts): void {
    counts[what] += 1;
    if (reporting) return;
    reporting = true;
    setTimeout(() => {
      log.warn({ maxConnections: max, ...counts }, 'as many connections are open as may be');
      Object.assign(counts, { closedIdle: 0, refused: 0, dropped: 0 });
      reporting = false;
    }, REPORT_EVERY_MS).unref();
  }
}
