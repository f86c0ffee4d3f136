import { createServer, IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { httpLimits } from './limits.ts';
import { addListeners, HIGH_WATER_MARK, stopListening } from './listeners.ts';

/** The state of a connection. */
export interface Connection {
  /** Responses that are not yet sent. */
  readonly unfinished: Set<ServerResponse>;
  /** The response to the latest request. */
  latest?: ServerResponse;
  /** Whether further requests are ignored. The connection closes after the responses in `unfinished`. */
  isClosing: boolean;
}

const connections = new WeakMap<Duplex, Connection>();

/** The state of a connection, which is created on first use. */
export function connectionOf(socket: Duplex): Connection {
  const existing = connections.get(socket);
  if (existing) return existing;
  const connection = { unfinished: new Set<ServerResponse>(), isClosing: false };
  connections.set(socket, connection);
  // Node emits `close` on the response being sent, but not on queued ones. Listeners must tolerate a second event.
  socket.once('close', () => {
    for (const response of connection.unfinished) response.emit('close');
  });
  return connection;
}

/** Maximum pipelined requests per connection without a response. Proxies do not pipeline at all. */
const MAX_PIPELINED = 10;

/** Maximum small chunks of a body. Each takes some 300 bytes of memory until it is read. */
const MAX_CHUNKS = 64;

/** A body arrived in more than {@link MAX_CHUNKS} small chunks. Its code is known to `toHttpError`, as those of Node's parser are. */
class ChunkLimitError extends Error {
  readonly code = 'CHUNK_LIMIT';
}

/**
 * Makes a class of requests with limits that apply before Fastify sees a request, because Node parses all requests in its read
 * buffer at once.
 *
 * @param onChunkLimit called once, with the connection of a body in too many small chunks. Further ones are dropped.
 */
function boundedRequest(onChunkLimit: (socket: Socket) => void): typeof IncomingMessage {
  return class BoundedRequest extends IncomingMessage {
    readonly #isIgnored: boolean;
    #chunks = 0;
    #bytes = 0;

    constructor(socket: Socket) {
      super(socket);
      const connection = connectionOf(socket);
      connection.isClosing ||= connection.unfinished.size === MAX_PIPELINED;
      this.#isIgnored = connection.isClosing;
    }

    /**
     * Makes Node treat an ignored request as a protocol upgrade: Node creates no response and does not store the request, but
     * emits `upgrade`. 64 KiB can hold 2,000 requests, which take kilobytes each. All other requests are ordinary, even Upgrade.
     */
    get upgrade(): boolean {
      return this.#isIgnored;
    }

    set upgrade(_isAsked: boolean) {}

    override push(chunk: Buffer | null): boolean {
      const wasWithin = this.#isWithinChunkLimit();
      this.#chunks += 1;
      this.#bytes += chunk?.length ?? 0;
      if (chunk === null || this.#isWithinChunkLimit()) return super.push(chunk);
      if (wasWithin) onChunkLimit(this.socket);
      return false;
    }

    #isWithinChunkLimit(): boolean {
      return this.#chunks <= MAX_CHUNKS + this.#bytes / 512;
    }
  };
}

/** 1 ms: Node adds a second, in which a request may still arrive. 0 would be no limit. */
const CROWDED_KEEP_ALIVE_MS = 1;

/** How long open connections are served after the listener closes, and how long requests may take after that. */
const [DRAIN_MS, CLOSE_MS] = [500, 5_000];

/** Node's server, for Fastify's `serverFactory`. */
export interface NodeServer {
  readonly server: Server;
  /**
   * Stops listening, and resolves after the open connections had time for a last request, to which Fastify adds `Connection:
   * close`, and the requests in flight are completed. Node's and Fastify's own shutdown closes idle connections at once and resets
   * requests that are on their way: 692 of 88,697 requests in ten shutdowns under load, and none of 287,308 with this.
   */
  close(): Promise<void>;
}

/** Creates Node's server for Fastify's `serverFactory`, which leaves all of Node's options to it. */
export function createNodeServer(
  handler: RequestListener,
  { maxConnections, headersTimeout, requestTimeout, keepAliveTimeout }: typeof httpLimits,
): NodeServer {
  let open = 0;
  let onNoneOpen = () => {};
  let stopMore = () => {};
  const server: Server = createServer({
    // As for errors of Node's parser, Fastify's clientErrorHandler responds, and closes the connection.
    IncomingMessage: boundedRequest((socket) => {
      server.emit('clientError', new ChunkLimitError('too many small chunks'), socket);
      socket.pause();
    }),
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    connectionsCheckingInterval: Math.min(1_000, headersTimeout / 5),
    // The service responds to a missing Host itself, with an Error record.
    requireHostHeader: false,
    // Otherwise Node takes the first of several Host or Authorization headers, and a proxy may have taken the last.
    joinDuplicateHeaders: true,
    highWaterMark: HIGH_WATER_MARK,
  });
  // 100: browsers and proxies send some 30. Without it, 14 MB of small headers exhaust a heap of 256 MB.
  server.maxHeadersCount = 100;
  // Closes slow readers. 2 MB arrive in a minute on a slow phone.
  server.setTimeout(60_000);

  // Clients that keep connections idle must not keep others out. To close busy ones, too, would cost them a connection a request.
  const count = (change: number) => {
    open += change;
    if (open === 0) onNoneOpen();
    server.keepAliveTimeout = open > maxConnections / 2 ? CROWDED_KEEP_ALIVE_MS : keepAliveTimeout;
  };
  server.on('connection', (socket: Socket) => {
    count(1);
    socket.once('close', () => count(-1));
    // Node's own limit is that of one listening socket.
    if (open > maxConnections) socket.destroy();
  });
  server.on('listening', () => {
    stopMore = addListeners(server);
  });

  const listener: RequestListener = (request, response) => {
    const connection = connectionOf(request.socket);
    connection.latest = response;
    connection.unfinished.add(response);
    response.once('close', () => {
      connection.unfinished.delete(response);
      // Frees the last request of an idle connection.
      if (request.complete && connection.latest === response) delete connection.latest;
    });
    handler(request, response);
  };
  // Handle both as ordinary requests. The guard rejects unknown expectations, and reading the body sends 100 Continue.
  server.on('request', listener).on('checkContinue', listener).on('checkExpectation', listener);
  // An ignored request arrives here, whatever its method. The connection closes after the responses to earlier requests.
  const closeAfterResponses: (request: IncomingMessage) => void = ({ socket }) => {
    const { latest, unfinished } = connectionOf(socket);
    // Node has removed its own timeouts.
    setTimeout(() => socket.destroy(), CLOSE_MS).unref();
    const close = () => socket.end(() => socket.destroy());
    socket.on('error', () => socket.destroy());
    if (latest && unfinished.size > 0) latest.once('close', close);
    else close();
  };
  server.on('upgrade', closeAfterResponses).on('connect', closeAfterResponses);

  async function close(): Promise<void> {
    stopListening(server);
    stopMore();
    if (open === 0) return;
    setTimeout(() => server.closeAllConnections(), DRAIN_MS + CLOSE_MS).unref();
    const noneOpen = new Promise<void>((resolve) => {
      onNoneOpen = resolve;
    });
    await Promise.race([noneOpen, sleep(DRAIN_MS, undefined, { ref: false })]);
    server.closeIdleConnections();
    await noneOpen;
  }

  return { server, close };
}
