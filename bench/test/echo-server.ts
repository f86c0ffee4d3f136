import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

export type Intercept = (count: number, request: IncomingMessage, response: ServerResponse) => number | Promise<number>;

/** A server that returns the plant; `status` decides the status, and when. */
export async function echoServer(status: Intercept = () => 200) {
  /** The ids received, in order. */
  const ids: string[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    const count = ids.push(/"id":(\d{18}),/.exec(body)?.[1] ?? '');
    const { name, tag } = JSON.parse(body);
    const plant = JSON.stringify({ name, tag });
    const code = await status(count, request, response);
    if (!response.destroyed) response.writeHead(code, { 'content-length': plant.length }).end(plant);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { port, ids, connections: promisify(server.getConnections.bind(server)) };
}
