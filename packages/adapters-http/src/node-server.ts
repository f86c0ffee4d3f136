import { once } from 'node:events';
import { createServer, IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { httpLimits } from './limits.ts';

/** What is known of a connection. */
export interface Connection {
  /** Its responses that are not sent yet. */
  readonly unfinished: Set<ServerResponse>;
  latest?: ServerResponse;
  /** Whether its latest request is its last one: nothing after it is processed. */
  isRefused: boolean;
}

const connections = new WeakMap<Duplex, Connection>();

export function connectionOf(socket: Duplex): Connection {
  const known = connections.get(socket);
  if (known) return known;
  const connection = { unfinished: new Set<ServerResponse>(), isRefused: false };
  connections.set(socket, connection);
  // Node says it to the one that is being sent, but not to those that wait behind it. Listeners must not mind a second time.
  socket.once('close', () => {
    for (const response of connection.unfinished) response.emit('close');
  });
  return connection;
}

/** How many requests of one connection may be without a response that was sent. Proxies do not pipeline at all. */
const MAX_PIPELINED = 10;

/** How many small pieces a body may come in: each takes some 300 bytes of memory until it is read. */
const MAX_PIECES = 64;

/** A request that is bounded before Fastify sees it, since Node makes requests of all that it has read at once. */
class BoundedRequest extends IncomingMessage {
  readonly #isIgnored: boolean;
  #pieces = 0;
  #bytes = 0;

  constructor(socket: Socket) {
    super(socket);
    const connection = connectionOf(socket);
    connection.isRefused ||= connection.unfinished.size === MAX_PIPELINED;
    this.#isIgnored = connection.isRefused;
  }

  /**
   * To Node, a request that is ignored asks for another protocol: Node makes no response for it, does not keep it, and emits
   * `upgrade`. 64 KiB hold two thousand, which take kilobytes each. All others are ordinary ones, CONNECT and Upgrade too.
   */
  get upgrade(): boolean {
    return this.#isIgnored;
  }

  set upgrade(_isAsked: boolean) {}

  override push(piece: Buffer | null): boolean {
    this.#pieces += 1;
    this.#bytes += piece?.length ?? 0;
    if (this.#pieces > MAX_PIECES + this.#bytes / 512) this.destroy();
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
    connection.latest = response;
    connection.unfinished.add(response);
    response.once('close', () => {
      connection.unfinished.delete(response);
      // An idle connection keeps nothing of its last request.
      if (request.complete && connection.latest === response) delete connection.latest;
    });
    handler(request, response);
  };
  // An unknown expectation is refused like other faults of a head; 100-continue is met when the body is read.
  server.on('request', listener).on('checkContinue', listener).on('checkExpectation', listener);
  // Of an ignored request, whatever its method: the connection ends after the responses to those before it.
  const end: (request: IncomingMessage) => void = ({ socket }) => {
    const { latest, unfinished } = connectionOf(socket);
    const endNow = () => socket.end(() => socket.destroy());
    socket.on('error', () => socket.destroy());
    if (latest && unfinished.size > 0) latest.once('close', endNow);
    else endNow();
  };
  return server.on('upgrade', end).on('connect', end);
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
