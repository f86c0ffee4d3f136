import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as sleep, setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { drain } from './draining.ts';

/**
 * The accept queue counts as empty after this time without a new connection, in milliseconds. Node accepts one connection a
 * turn of the event loop, and with several workers the primary hands it over first: both take less than a millisecond.
 */
const QUIET_MS = 5;

/** A turn up to this time, in milliseconds, leaves new connections next to no time to arrive before the listener closes. */
const SHORT_TURN_MS = 1;

/** How long the listener stays open for new connections at most, in milliseconds: clients may never stop connecting. */
const ACCEPT_AT_MOST_MS = 250;

/**
 * How long kept connections get for a last request since draining began, in milliseconds. A busy client sends its next
 * request in less; a person who pressed Ctrl-C hardly notices.
 */
const LINGER_MS = 500;

/** Closes a server so that no request that reached it is reset. */
export interface Closing {
  /** Continues with a request: at once, but while the accept queue is being emptied not before the listener is closed. */
  readonly admit: (next: () => void) => void;
  /** Resolves once the listener is closed, and kept connections had their time for a last request. */
  readonly closeListener: () => Promise<void>;
}

/**
 * When a listener closes, the kernel resets the connections in its accept queue; when Node closes a server, it resets kept
 * connections whose next request is on its way. So the queue is emptied first. Meanwhile no request is responded to, or
 * clients would open their next connections and the queue would never be empty. What can still be reset is a connection
 * that is being established while the listener closes.
 */
export function closing(server: Server): Closing {
  let held: (() => void)[] | undefined;

  async function acceptQueued(): Promise<void> {
    let acceptedAt = performance.now();
    server.on('connection', () => {
      acceptedAt = performance.now();
    });
    const end = acceptedAt + ACCEPT_AT_MOST_MS;
    for (let before = acceptedAt; ; ) {
      await turnOfTheEventLoop();
      const now = performance.now();
      if (now > end || (now - acceptedAt > QUIET_MS && now - before < SHORT_TURN_MS)) return;
      before = now;
    }
  }

  return {
    admit(next) {
      if (held) held.push(next);
      else next();
    },
    async closeListener() {
      const drainingSince = drain({ server });
      if (!server.listening) return;
      held = [];
      await acceptQueued();
      const closed = once(server, 'close');
      // Not http's own method, which also closes kept connections, at once.
      TcpServer.prototype.close.call(server);
      const release = held;
      held = undefined;
      for (const next of release) next();
      const lingerMs = Math.max(0, drainingSince + LINGER_MS - performance.now());
      await Promise.race([closed, sleep(lingerMs, undefined, { ref: false })]);
    },
  };
}
