import { once } from 'node:events';
import { type AddressInfo, connect, createServer, isIP, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { connect as connectTls } from 'node:tls';
import type { PostgresAddress } from './postgres-address.ts';

/** A route to a PostgreSQL server that can be made to fail while the server itself goes on. */
export interface FreezingProxy {
  /** The port that it listens on, on 127.0.0.1. */
  readonly port: number;
  /** From now on nothing gets through; connections stay open, and new ones are accepted. */
  freeze(): void;
  /** Forwards what was held back. */
  thaw(): void;
  /** Cuts off every connection. */
  close(): Promise<void>;
}

/**
 * The server sees the proxy connect as the operator would: over TLS and with its certificate checked, where asked for.
 */
export async function openProxy(server: PostgresAddress): Promise<FreezingProxy> {
  let thawed = Promise.resolve();
  let thaw = () => {};
  const sockets = new Set<Socket>();

  /** The end of a stream is held back as well: a frozen host does not close connections. */
  async function* gate(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const bytes of stream) {
      await thawed;
      yield bytes;
    }
    await thawed;
  }

  async function forward(client: Socket): Promise<void> {
    const upstream = server.host.startsWith('/')
      ? connect(join(server.host, `.s.PGSQL.${server.port}`))
      : connect(server.port, server.host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    try {
      const stream = await encrypted(upstream, server);
      await Promise.all([pipeline(client, gate, stream), pipeline(stream, gate, client)]);
    } catch {
      // One side is gone, and so is the other.
    } finally {
      client.destroy();
      upstream.destroy();
    }
  }

  const listener = createServer((client) => void forward(client)).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    freeze() {
      ({ promise: thawed, resolve: thaw } = Promise.withResolvers<void>());
    },
    thaw: () => thaw(),
    async close() {
      thaw();
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html, SSLRequest: its length and a number. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

async function encrypted(socket: Socket, { host, tls, directTls }: PostgresAddress): Promise<Duplex> {
  await once(socket, 'connect');
  if (!tls) return socket;
  if (!directTls) {
    socket.write(SSL_REQUEST);
    const [response] = await once(socket, 'data');
    if (String(response) !== 'S') throw new Error('the server does not support TLS');
  }
  const secure = connectTls({
    socket,
    host,
    ...tls,
    ...(isIP(host) === 0 && { servername: host }),
    ...(directTls && { ALPNProtocols: ['postgresql'] }),
  });
  await once(secure, 'secureConnect');
  return secure;
}
