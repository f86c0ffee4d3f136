import { once } from 'node:events';
import { createServer, IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AcceptedToken } from '@plant-store/domain';
import type { httpLimits } from './limits.ts';

/** The state of a connection. */
export interface Connection {
  /** Responses that are not yet sent, or whose request has not yet arrived completely, in their order. */
  readonly unfinished: Set<ServerResponse>;
  /** Whether further requests are ignored, because the connection closes. */
  isClosing: boolean;
  /** The Authorization header that was accepted last, if its verdict has `isCurrent`. */
  accepted?: { readonly header: Uint8Array; readonly verdict: AcceptedToken };
}

const connections = new WeakMap<Duplex, Connection>();

/** The state of a connection, which is created on first use. */
export function connectionOf(socket: Duplex): Connection {
  const existing = connections.get(socket);
  if (existing) return existing;
  const connection: Connection = { unfinished: new Set(), isClosing: false };
  connections.set(socket, connection);
  // Node emits `close` on the response being sent, but not on queued ones. Listeners must tolerate a second event.
  socket.once('close', () => {
    for (const response of connection.unfinished) response.emit('close');
  });
  return connection;
}

/** Maximum unfinished requests of a connection. Proxies do not pipeline at all. */
const MAX_PIPELINED = 10;

/** Maximum small chunks of a body. Each takes some 300 bytes of memory until it is read. */
const MAX_CHUNKS = 64;

/** A body arrived in more than {@link MAX_CHUNKS} small chunks. Its code is known to `toHttpError`, as those of Node's parser are. */
class ChunkLimitError extends Error {
  readonly code = 'CHUNK_LIMIT';
}

/**
 * Makes a class of requests with limits that apply before Fastify sees a request.
 *
 * @param onChunkLimit called once, with the connection of a body in too many small chunks. The rest of the body is dropped.
 */
function boundedRequest(onChunkLimit: (socket: Socket) => void): typeof IncomingMessage {
  return class BoundedRequest extends IncomingMessage {
    readonly #isBeyondLimit: boolean;
    #chunks = 0;
    #bytes = 0;

    constructor(socket: Socket) {
      super(socket);
      this.#isBeyondLimit = connectionOf(socket).unfinished.size === MAX_PIPELINED;
    }

    /**
     * Makes Node treat a request beyond {@link MAX_PIPELINED} as a protocol upgrade, at which its parser stops. To destroy the
     * connection does not stop it: 850 requests on each of 1,490 connections, 37 MB, then took more than a heap of 256 MB, and
     * the process takes up to 290 MiB with this. All other requests are ordinary, even Upgrade.
     */
    get upgrade(): boolean {
      return this.#isBeyondLimit;
    }

    set upgrade(_isAsked: boolean) {}

    override push(chunk: Buffer | null): boolean {
      this.#chunks += 1;
      this.#bytes += chunk?.length ?? 0;
      if (this.#chunks <= MAX_CHUNKS + this.#bytes / 512) return super.push(chunk);
      if (this.#chunks < Infinity) onChunkLimit(this.socket);
      // Nothing more is pushed, because a body with a gap might be a plant.
      this.#chunks = Infinity;
      return false;
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
    const { unfinished, isClosing } = connectionOf(request.socket);
    unfinished.add(response);
    response.on('close', onClose);
    if (!isClosing) handler(request, response);
  };
  // Handle both as ordinary requests. The guard rejects unknown expectations, and reading the body sends 100 Continue.
  server.on('request', listener).on('checkContinue', listener).on('checkExpectation', listener);
  // Requests beyond the limit arrive here, whatever their method.
  const destroy = (_request: IncomingMessage, socket: Duplex) => void socket.destroy();
  server.on('upgrade', destroy).on('connect', destroy);

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

/** A function of its own, because a listener for each request costs more. */
function onClose(this: ServerResponse): void {
  const { unfinished } = connectionOf(this.req.socket);
  if (this.req.complete) unfinished.delete(this);
  else this.req.once('close', () => unfinished.delete(this));
}

/** How Node has to listen for {@link addListeners}. */
export interface ListenOptions {
  readonly reusePort: boolean;
  readonly backlog: number;
}

/**
 * Returns the options for `listen` with which a server accepts several connections in each turn of the event loop.
 * @throws {Error} Node's, if the address is not free: with SO_REUSEPORT a second service of the user would get half of the clients.
 */
export async function listenOptions(host: string, port: number): Promise<ListenOptions> {
  const reusePort = process.platform === 'linux';
  if (reusePort) {
    const probe = createTcpServer().listen({ host, port });
    await once(probe, 'listening');
    await once(probe.close(), 'close');
  }
  return { reusePort, backlog: BACKLOG };
}

/**
 * Adds listening sockets to a server that listens with SO_REUSEPORT. Node accepts one connection for each listening socket in a turn
 * of the event loop, and 1,000 busy connections make it a turn of 20 ms: a new client waited for up to 7.5 s, and for 0.1 s with
 * these. Without SO_REUSEPORT they cannot listen, and there are none.
 *
 * @returns a function that stops them.
 */
function addListeners(server: Server): () => void {
  const { address: host, port } = server.address() as AddressInfo;
  const more = Array.from({ length: LISTENERS - 1 }, () => {
    // As Node's HTTP server creates its own.
    const listener = createTcpServer({ allowHalfOpen: true, noDelay: true, highWaterMark: HIGH_WATER_MARK });
    listener.on('connection', (socket) => server.emit('connection', socket)).on('error', () => {});
    return listener.listen({ host, port, reusePort: true, backlog: BACKLOG });
  });
  return () => {
    for (const listener of more) listener.close();
  };
}

/** Stops listening. Unlike `close` of an HTTP server, it leaves idle connections open. */
function stopListening(server: Server): void {
  TcpServer.prototype.close.call(server);
}

/** 8: with 1,000 busy connections a new one waits for 0.1 s. 32 are no faster. */
const LISTENERS = 8;

/** 511 connections, Node's default, for each listening socket. Further ones try again after a second. */
const BACKLOG = 511;

/** Bounds the buffer of a body that waits for pipelined responses: at worst 300 bytes of memory per byte. */
const HIGH_WATER_MARK = 16_384;
