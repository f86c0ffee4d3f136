import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createAdminServer } from '../src/index.ts';

async function serve(ready: () => Promise<void>, maxConnections?: number): Promise<string> {
  const limit = maxConnections === undefined ? {} : { maxConnections };
  const app = createAdminServer({ ready, metrics: async () => 'up 1\n', ...limit });
  onTestFinished(() => app.close());
  return app.listen({ host: '127.0.0.1', port: 0 });
}

async function get(url: string): Promise<[number, unknown]> {
  const response = await fetch(url);
  return [response.status, await response.json()];
}

test('a service that can create plants is live and ready', async () => {
  const url = await serve(async () => {});
  expect(await get(`${url}/livez`)).toEqual([200, { status: 'ok' }]);
  expect(await get(`${url}/readyz`)).toEqual([200, { status: 'ok' }]);
});

test.each([
  [new Error('connection refused'), 'connection refused'],
  ['a text', 'a text'],
])('a service that cannot is live, not ready, and says why: %s', async (thrown, reason) => {
  const url = await serve(() => Promise.reject(thrown));
  expect(await get(`${url}/livez`)).toEqual([200, { status: 'ok' }]);
  expect(await get(`${url}/readyz`)).toEqual([503, { status: 'unavailable', reason }]);
  expect((await fetch(`${url}/readyz`)).headers.get('retry-after')).toBe('1');
});

test('readiness is checked on each request', async () => {
  let ready = false;
  const url = await serve(async () => {
    if (!ready) throw new Error('not yet');
  });
  expect((await get(`${url}/readyz`))[0]).toBe(503);
  ready = true;
  expect((await get(`${url}/readyz`))[0]).toBe(200);
});

test('metrics are in the text format of Prometheus', async () => {
  const response = await fetch(`${await serve(async () => {})}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  expect(await response.text()).toBe('up 1\n');
});

/** A connection that sends something, and whether it is still open. */
async function connection(url: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}).write(text);
  await once(socket, 'connect');
  return socket;
}

test('its connections are limited, and idle ones make room for others', async () => {
  const url = await serve(async () => {}, 3);
  const idle = await Promise.all(
    Array.from({ length: 2 }, async () => {
      const socket = await connection(url, 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(socket, 'data');
      return socket;
    }),
  );
  const closed = Promise.all(idle.map((socket) => once(socket, 'close')));
  // None of these ends its request, so none of them is idle.
  const busy = [await connection(url, 'GET /livez HTTP/1.1\r\n')];
  await closed;
  busy.push(await connection(url, 'GET /livez HTTP/1.1\r\n'), await connection(url, 'GET /livez HTTP/1.1\r\n'));
  await once(await connection(url, 'GET /livez HTTP/1.1\r\n'), 'close');
  expect(busy.map(({ closed }) => closed)).toEqual([false, false, false]);
});
