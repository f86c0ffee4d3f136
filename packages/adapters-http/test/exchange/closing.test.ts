import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { plantServer } from '../plant-server.ts';

async function start(): Promise<{ app: FastifyInstance; port: number }> {
  const app = plantServer({});
  onTestFinished(() => app.close());
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  return { app, port: Number(port) };
}

const request =
  'POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer me\r\nContent-Type: application/json\r\n' +
  'Content-Length: 22\r\n\r\n{"id":1,"name":"Fern"}';

/** What a client gets until its connection is closed; a reset rejects. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'end');
  return text;
}

const lastResponse = /^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*connection: close\r\n(?:.*\r\n)*\r\n\{"name":"Fern"\}$/i;

test('connections in the accept queue are accepted and responded to when the server closes', async () => {
  const { app, port } = await start();
  // The kernel establishes them at once; this process accepts none of them before it closes the server.
  const clients = Array.from({ length: 64 }, () => connect(port, '127.0.0.1'));
  const responses = clients.map((client) => {
    client.write(request);
    return received(client);
  });
  await app.close();
  for (const response of await Promise.all(responses)) expect(response).toMatch(lastResponse);
});

test('a request on a kept connection is responded to although the server is closing', async () => {
  const { app, port } = await start();
  const client = connect(port, '127.0.0.1');
  client.write(request);
  const [first] = await once(client, 'data');
  expect(String(first)).toMatch(/connection: keep-alive/i);

  const closed = app.close();
  // It arrives after the listener was closed, and after Node would have closed the connection.
  while (app.server.listening) await new Promise(setImmediate);
  client.write(request);
  expect(await received(client)).toMatch(lastResponse);
  await closed;
});

test('a kept connection without a further request does not keep the server from closing', async () => {
  const { app, port } = await start();
  const client = connect(port, '127.0.0.1');
  client.write(request);
  await once(client, 'data');
  const ended = once(client, 'close');
  await app.close();
  await ended;
});
