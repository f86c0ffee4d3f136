import { connect, createServer } from 'node:net';
import { listening } from '@plant-store/testing-servers';
import { onTestFinished } from 'vitest';

/**
 * Acts as a pooler that does not pass a search path on to the server, until the test is finished.
 *
 * @param url of the server, on a unix socket.
 * @param instead what the server gets to see in its place: the name of a setting and `=`.
 * @returns the URL through the pooler.
 */
export async function throughPooler(url: string, instead: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = `${decodeURIComponent(hostname)}/.s.PGSQL.${port}`;
  const listener = createServer((client) => {
    const server = connect(socket);
    client.on('error', () => server.destroy()).on('close', () => server.destroy());
    server.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('data', (bytes) => {
      // As long as before: the message tells its length.
      const changed = bytes
        .toString('latin1')
        .replace(/search_path=plant_store_verify_\w+/, (setting) => instead.padEnd(setting.length, 'x'));
      server.write(changed, 'latin1');
    });
    server.pipe(client);
  });
  const pooled = new URL(url);
  pooled.host = `127.0.0.1:${await listening(listener, onTestFinished)}`;
  return pooled.href;
}
