import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

export interface EchoServer {
  readonly port: number;
  /** The ids received, in order. */
  readonly ids: readonly string[];
  /** How many are open. */
  connections(): Promise<number>;
  close(): void;
}

export type Intercept = (count: number, request: IncomingMessage, response: ServerResponse) => number | Promise<number>;

/** A server that returns the plant; `status` decides the status, and when. */
export async function echoServer(status: Intercept = () => 200): Promise<EchoServer> {
  const ids: string[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    const count = ids.push(/"id":(\d+)/.exec(body)?.[1] ?? '');
    const { name, tag } = JSON.parse(body);
    const plant = JSON.stringify({ name, tag });
    const code = await status(count, request, response);
    if (response.destroyed) return;
    response.writeHead(code, { 'content-length': plant.length }).end(plant);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ids,
    connections: promisify(server.getConnections.bind(server)),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
