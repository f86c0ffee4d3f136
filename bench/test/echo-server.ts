import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { listening } from '@plant-store/testing-servers';
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
  const port = await listening(server, onTestFinished);
  return { port, ids, connections: promisify(server.getConnections.bind(server)) };
}
