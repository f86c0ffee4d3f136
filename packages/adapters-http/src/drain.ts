import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long open connections are served after the server stops listening. */
const DRAIN_MS = 500;

/** How long requests may take after that. Those that take longer lose their connection. */
const CLOSE_MS = 5_000;

/**
 * Stops listening and gives the open connections time for a last request, whose response has to say `Connection: close`. `close` of
 * Node's HTTP server would close idle connections at once, and with them the requests that are on their way.
 */
export async function drain(server: Server): Promise<void> {
  setTimeout(() => server.closeAllConnections(), DRAIN_MS + CLOSE_MS).unref();
  const closed = once(server, 'close');
  // An HTTP server is a TCP server, whose `close` keeps existing connections.
  TcpServer.prototype.close.call(server);
  await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
}
