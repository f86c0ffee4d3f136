import { connect, createServer } from 'node:net';
import { listening, type OnTestFinished } from './temporary-resources.ts';

/** Starts a proxy before the server of a URL, which can close connections instead of forwarding responses. */
export async function losingProxy(url: string, onTestFinished: OnTestFinished) {
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname);
  let isLosing = false;
  const server = createServer((client) => {
    // PostgreSQL's socket may be in a directory.
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(Number(port), host);
    client.on('data', (data) => upstream.write(data));
    upstream.on('data', (data) => (isLosing ? client.destroy() : client.write(data)));
    client.on('error', () => {}).on('close', () => upstream.destroy());
    upstream.on('error', () => {}).on('close', () => client.destroy());
  });
  const proxied = new URL(url);
  proxied.host = `127.0.0.1:${await listening(server, onTestFinished)}`;
  return {
    /** The URL of the server through the proxy. */
    url: proxied.href,
    /** Loses every response until the returned function is called. */
    async loseResponses() {
      isLosing = true;
      return async () => {
        isLosing = false;
      };
    },
  };
}
