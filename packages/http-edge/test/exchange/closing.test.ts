import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { request, response, serve } from '../echo-server.ts';

const lastResponse = /^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*connection: close\r\n(?:.*\r\n)*\r\n"Fern"$/i;

test('connections in the accept queue are accepted and responded to when the server closes', async () => {
  const { app, open } = await serve({ closeTimeout: 5_000 });
  // The kernel establishes them at once; this process accepts none of them before it closes the server.
  const responses = Array.from({ length: 64 }, async () => text(await open(request())));
  await app.close();
  for (const each of await Promise.all(responses)) expect(each).toMatch(lastResponse);
});

test('a request on a kept connection is responded to although the server is closing', async () => {
  const { app, open } = await serve({ closeTimeout: 5_000 });
  const client = await open();
  expect(await response(client, request())).toMatch(/connection: keep-alive/i);
  const closed = app.close();
  // It arrives after the listener was closed, and after Node would have closed the connection.
  while (app.server.listening) await new Promise(setImmediate);
  client.write(request());
  expect(await text(client)).toMatch(lastResponse);
  await closed;
});

test('a kept connection without a further request keeps the server open for half a second, not for closeTimeout', async () => {
  const { app, open } = await serve({ closeTimeout: 60_000 });
  const client = await open();
  await response(client, request());
  const forced = vi.spyOn(app.server, 'closeAllConnections');
  await app.close();
  expect(forced).not.toHaveBeenCalled();
  expect(await text(client)).toBe('');
});
