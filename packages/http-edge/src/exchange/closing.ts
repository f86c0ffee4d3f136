import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as sleep, setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { drain } from './draining.ts';

/** Where another process accepts connections and hands them over, as the primary does with several workers. */
export interface Acceptor {
  /** Resolves once it has accepted a connection that was waiting, if there was one. */
  turn(): Promise<unknown>;
  /** Called when this process accepts no more. Resolves once no process does, and the listener is closed. */
  closed(): Promise<unknown>;
}

/**
 * The accept queue counts as empty after this time without a new connection, in milliseconds, and without
 * a response, after which a client may open its next connection.
 */
const QUIET_MS = 10;

/** And after so many turns: on a busy machine a single one may take longer than that. */
const QUIET_TURNS = 10;

/** How long the event loop waits between two quiet turns, in milliseconds: without a pause they take all of a core. */
const PAUSE_MS = 1;

/** After a turn of up to this time, in milliseconds, new connections had next to no time to arrive before the listener closes. */
const SHORT_TURN_MS = 1;

/**
 * How long connections are accepted at most once the server closes, in milliseconds: clients may never stop connecting. Their
 * responses are due 2 s after they were sent.
 */
const ACCEPT_AT_MOST_MS = 1_000;

/**
 * How long open connections get for a last request once the listener is closed, in milliseconds. A busy client sends its next
 * request in less; a person who pressed Ctrl-C hardly notices.
 */
const LAST_REQUEST_MS = 500;

/** Closes a server so that no request that reached it is reset. */
export interface Closing {
  /** Continues with a request: at once, but while the accept queue is being emptied not before the listener is closed. */
  readonly admit: (next: () => void) => void;
  /** Has to be called with every response. */
  readonly responded: () => void;
  /** Resolves once the listener is closed, and kept connections had their time for a last request. */
  readonly closeListener: () => Promise<void>;
}

/**
 * When a listener closes, the kernel resets the connections in its accept queue; when Node closes a server, it resets kept
 * connections whose next request is on its way. So the queue is emptied first; Node accepts one connection a turn of the event
 * loop. Meanwhile no request is responded to, or clients would open their next connections and the queue would never be empty.
 * What can still be reset is a connection that is being established while the listener closes.
 */
export function closing(server: Server, acceptor?: Acceptor): Closing {
  let held: (() => void)[] | undefined;
  let activeAt = 0;
  const beActive = () => {
    if (held) activeAt = performance.now();
  };
  server.on('connection', beActive);

  async function acceptQueued(): Promise<void> {
    beActive();
    const end = activeAt + ACCEPT_AT_MOST_MS;
    let quietTurns = 0;
    for (let before = activeAt; before < end; ) {
      // Connections are accepted during the pause, but do not end it.
      if (quietTurns > 0) await sleep(PAUSE_MS);
      const turnedAt = performance.now();
      if (acceptor) await atMost(end - turnedAt, acceptor.turn());
      await turnOfTheEventLoop();
      const now = performance.now();
      quietTurns = activeAt < before ? quietTurns + 1 : 0;
      const isShort = acceptor !== undefined || now - turnedAt < SHORT_TURN_MS;
      if (quietTurns > QUIET_TURNS && now - activeAt > QUIET_MS && isShort) return;
      before = now;
    }
  }

  return {
    admit(next) {
      if (held) held.push(next);
      else next();
    },
    responded: beActive,
    async closeListener() {
      drain({ server });
      if (!server.listening) return;
      held = [];
      await acceptQueued();
      const closed = once(server, 'close');
      // Not http's own method, which also closes kept connections, at once.
      TcpServer.prototype.close.call(server);
      if (acceptor) await atMost(ACCEPT_AT_MOST_MS, acceptor.closed());
      const release = held;
      held = undefined;
      for (const next of release) next();
      await atMost(LAST_REQUEST_MS, closed);
    },
  };
}

/** Resolves when the event happened, and after so many milliseconds in any case. */
async function atMost(ms: number, event: Promise<unknown>): Promise<void> {
  const end = new AbortController();
  await Promise.race([event, sleep(Math.max(0, ms), undefined, { ref: false, signal: end.signal }).catch(() => {})]);
  end.abort();
}
