import type { Server } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Exchange } from '../exchange/exchange.ts';
import { OrderedList } from '../exchange/ordered-list.ts';

/** How often overdue responses are looked for, in milliseconds. */
const CHECK_EVERY_MS = 1_000;

/** The complete responses that clients have not read yet. What the kernel has accepted counts as read. */
export interface SlowReaders {
  /** Adds an exchange; if there are too many, the connection of the oldest one is cut off. */
  readonly add: (exchange: Exchange) => void;
  readonly delete: (exchange: Exchange) => void;
}

/**
 * Limits how many responses wait to be read, and for how long. A client may read as slowly as it likes, but what is kept
 * for slow clients stays small altogether, and their connections are free again after a while.
 *
 * @param withinMs how long a client may take to read a response, in milliseconds; it gets at most a second more.
 */
export function limitSlowReaders(server: Server, max: number, withinMs: number, log: FastifyBaseLogger): SlowReaders {
  // In the order in which their responses were completed.
  const unread = new OrderedList<Exchange>();
  let cutOff = 0;
  const check = setInterval(() => {
    const due = performance.now() - withinMs;
    while (unread.first && (unread.first.respondedAt ?? 0) <= due)
      cut(unread.first, `the response was not read within ${withinMs} ms`);
    if (cutOff > 0) log.warn({ cutOff, maxUnread: max, withinMs }, 'slow readers disconnected');
    cutOff = 0;
  }, CHECK_EVERY_MS).unref();
  server.once('close', () => clearInterval(check));

  return {
    add(exchange) {
      if (unread.first && unread.size >= max) cut(unread.first, `more than ${max} responses were not read`);
      unread.add(exchange);
    },
    delete: (exchange) => unread.delete(exchange),
  };

  function cut(exchange: Exchange, reason: string): void {
    unread.delete(exchange);
    const { connection } = exchange;
    if (connection.socket.destroyed) return;
    connection.cutOffBecause = `the service closed the connection: ${reason}`;
    connection.socket.destroy();
    cutOff += 1;
  }
}
