import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer, Server as TcpServer } from 'node:net';

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
    const probe = createServer().listen({ host, port });
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
export function addListeners(server: Server): () => void {
  const { address: host, port } = server.address() as AddressInfo;
  const more = Array.from({ length: LISTENERS - 1 }, () => {
    // As Node's HTTP server creates its own.
    const listener = createServer({ allowHalfOpen: true, noDelay: true, highWaterMark: HIGH_WATER_MARK });
    listener.on('connection', (socket) => server.emit('connection', socket)).on('error', () => {});
    return listener.listen({ host, port, reusePort: true, backlog: BACKLOG });
  });
  return () => {
    for (const listener of more) listener.close();
  };
}

/** Stops listening. Unlike `close` of an HTTP server, it leaves idle connections open. */
export function stopListening(server: Server): void {
  TcpServer.prototype.close.call(server);
}

/** 8: with 1,000 busy connections a new one waits for 0.1 s. 32 are no faster. */
const LISTENERS = 8;

/** 511 connections, Node's default, for each listening socket. Further ones try again after a second. */
const BACKLOG = 511;

/** Bounds the buffer of a body that waits for pipelined responses: at worst 300 bytes of memory per byte. */
export const HIGH_WATER_MARK = 16_384;
