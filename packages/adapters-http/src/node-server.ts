import { once } from 'node:events';
import { createServer, IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { httpLimits } from './limits.ts';

/** What is known of a connection. */
export interface Connection {
  /** The number of its requests whose responses are not sent yet. */
  unfinished: number;
  latest?: { readonly request: IncomingMessage; readonly response: ServerResponse };
  /** Whether what comes next is not looked at. */
  isRefused: boolean;
}

const connections = new WeakMap<Duplex, Connection>();

export function connectionOf(socket: Duplex): Connection {
  const connection = connections.get(socket) ?? { unfinished: 0, isRefused: false };
  connections.set(socket, connection);
  return connection;
}

/** How many requests of one connection may be without a response that was sent. Proxies do not pipeline at all. */
const MAX_PIPELINED = 20;

/** A request whose body may not come in very many small pieces: each takes some 300 bytes of memory until it is read. */
class BoundedRequest extends IncomingMessage {
  #pieces = 0;
  #bytes = 0;

  override push(piece: Buffer | null): boolean {
    this.#pieces += 1;
    this.#bytes += piece?.length ?? 0;
    if (this.#pieces > 128 + this.#bytes / 512) this.destroy();
    return super.push(piece);
  }
}

/** Makes Node's server for Fastify (`serverFactory`), which then leaves all of Node's options to it. */
export function createNodeServer(
  handler: RequestListener,
  { maxConnections, headersTimeout, requestTimeout, keepAliveTimeout }: typeof httpLimits,
): Server {
  const server = createServer({
    IncomingMessage: BoundedRequest,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    connectionsCheckingInterval: Math.min(1_000, headersTimeout / 5),
    // Node's own response to a missing Host is not an Error record.
    requireHostHeader: false,
    // Otherwise of several Hosts or tokens the first counts, where a proxy may have read the last.
    joinDuplicateHeaders: true,
    // Of a body that waits for the responses before it: 300 bytes of memory for each byte at worst.
    highWaterMark: 16_384,
  });
  server.maxConnections = maxConnections;
  // 100: browsers and proxies send some 30. Without it, 14 MB of small fields end a process with a heap of 256 MB.
  server.maxHeadersCount = 100;
  // A client that does not read its response: 2 MB arrive in a minute on a slow phone.
  server.setTimeout(60_000);

  const listener: RequestListener = (request, response) => {
    const connection = connectionOf(request.socket);
    // Nobody reads its body: it must not wait in memory.
    if (connection.isRefused) return void request.resume();
    // 64 KiB may hold two thousand requests, which take kilobytes each, so they must not reach Fastify.
    if (connection.unfinished === MAX_PIPELINED) return void request.socket.destroy();
    connection.latest = { request, response };
    connection.unfinished += 1;
    response.once('close', () => {
      connection.unfinished -= 1;
    });
    handler(request, response);
  };
  // An unknown expectation is refused like other faults of a head; 100-continue is met when the body is read.
  return server.on('request', listener).on('checkContinue', listener).on('checkExpectation', listener);
}

/** How long kept connections have for a last request once the listener is closed, and requests to end after that. */
const [LAST_REQUEST_MS, CLOSE_MS] = [500, 5_000];

/**
 * Closes the listener alone, and resolves once kept connections had their time for a last request, to which Fastify adds
 * `Connection: close`. Node's and Fastify's own way closes idle connections at once, and resets those whose next request is
 * on its way: 692 of 88,697 requests in ten stops under load, and none of 287,308 with this.
 */
export async function closeListener(server: Server): Promise<void> {
  setTimeout(() => server.closeAllConnections(), LAST_REQUEST_MS + CLOSE_MS).unref();
  if (!server.listening) return;
  const closed = once(server, 'close');
  TcpServer.prototype.close.call(server);
  await Promise.race([closed, sleep(LAST_REQUEST_MS, undefined, { ref: false })]);
}
