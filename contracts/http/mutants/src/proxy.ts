import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';

/** Starts a proxy in front of a server: it rewrites incoming bytes and leaves outgoing ones alone. */
export async function startProxy(origin: string, rewrite: (bytes: string) => string) {
  const { hostname, port } = new URL(origin);
  const open = new Set<Socket>();
  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const rewriting = new Transform({
      transform: (bytes: Buffer, _encoding, done) =>
        done(null, Buffer.from(rewrite(bytes.toString('latin1')), 'latin1')),
    });
    open.add(client.once('close', () => open.delete(client)));
    // If either side breaks off, so does the other.
    pipeline(client, rewriting, server, (error) => error && client.destroy());
    pipeline(server, client, (error) => error && server.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      for (const socket of open) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
