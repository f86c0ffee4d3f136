import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';

/** Starts a proxy before a server: it rewrites what comes in and leaves alone what goes out. */
export async function listenBefore(origin: string, rewrite: (bytes: string) => string) {
  const { hostname, port } = new URL(origin);
  const open = new Set<Socket>();
  const proxy = createServer({ allowHalfOpen: true }, (caller) => {
    const server = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const rewriting = new Transform({
      transform: (bytes: Buffer, _encoding, done) =>
        done(null, Buffer.from(rewrite(bytes.toString('latin1')), 'latin1')),
    });
    open.add(caller.once('close', () => open.delete(caller)));
    // Whichever side breaks off takes the other one with it.
    pipeline(caller, rewriting, server, (error) => error && caller.destroy());
    pipeline(server, caller, (error) => error && server.destroy());
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
