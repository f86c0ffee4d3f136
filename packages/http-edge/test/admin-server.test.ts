import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type AdminServerOptions, createAdminServer } from '../src/index.ts';
import { catalogue, get, opener, response } from './echo-server.ts';

function create(options: Partial<AdminServerOptions> = {}) {
  const app = createAdminServer({ ready: async () => {}, metrics: async () => 'up 1\n', ...options }, catalogue);
  onTestFinished(() => app.close());
  return app;
}

async function serve(options?: Partial<AdminServerOptions>) {
  const app = create(options);
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  return { app, open: opener(port) };
}

test.each([
  [undefined, 200, { status: 'ok' }, undefined],
  [new Error('connection refused'), 503, { status: 'unavailable', reason: 'connection refused' }, '1'],
  ['a text', 503, { status: 'unavailable', reason: 'a text' }, '1'],
])('a service is live; it is ready if it can do its work: with %s, %d', async (failure, status, body, retryAfter) => {
  const ready = vi.fn(async () => {});
  if (failure) ready.mockRejectedValueOnce(failure);
  const app = create({ ready });
  expect((await app.inject('/livez')).json()).toEqual({ status: 'ok' });
  const { statusCode, headers, ...response } = await app.inject('/readyz');
  expect([statusCode, response.json(), headers['retry-after']]).toEqual([status, body, retryAfter]);
  // It is checked on each request.
  expect((await app.inject('/readyz')).statusCode).toBe(200);
});

test('metrics are in the text format of Prometheus', async () => {
  const { statusCode, headers, body } = await create().inject('/metrics');
  const type = 'text/plain; version=0.0.4; charset=utf-8';
  expect([statusCode, headers['content-type'], body]).toEqual([200, type, 'up 1\n']);
});

test.each([
  ['127.0.0.1:3001', 200],
  ['[::1]:3001', 200],
  ['LocalHost', 200],
  ['plants.localhost.', 200],
  ['Plant-Store:3001', 200],
  ['metrics.example', 200],
  ['', 200],
  ['evil.example', 400],
  ['evil.example:3001', 400],
  ['127.0.0.1.evil.example', 400],
  ['evil-localhost', 400],
  ['[evil.example]', 400],
  ['127.0.0.1@evil.example', 400],
])('a page on another name reads nothing: Host %s gets %d', async (host, status) => {
  const app = create({ allowedHosts: ['plant-store', 'Metrics.example.'] });
  const { statusCode, body } = await app.inject({ url: '/metrics', headers: { host } });
  expect(statusCode).toBe(status);
  if (status === 400) expect(JSON.parse(body)).toMatchObject({ error: 40_007 });
});

describe('what a client makes it hold', () => {
  test.each(['', 'Upgrade: h2c\r\n', 'Connection: Upgrade\r\nUpgrade: h2c\r\n', 'Expect: 100-continue\r\n'])(
    'a request with a body is refused at once and its connection ends, with %j',
    async (header) => {
      const ready = vi.fn(async () => {});
      const { app, open } = await serve({ ready });
      const accepted = once(app.server, 'connection');
      const client = await open(get('/readyz').replace('x', `localhost\r\n${header}Transfer-Encoding: chunked`));
      client.write('1\r\n \r\n');
      const [socket] = await accepted;
      if (!socket.destroyed) await once(socket, 'close');
      expect(await text(client)).toMatch(/HTTP\/1.1 400 .*"error":40007,"message":"send no body"/s);
      expect(ready).not.toHaveBeenCalled();
    },
  );

  const probe = get('/readyz').replace('x', 'localhost');

  test('a request that does not wait for the response before it ends the connection', async () => {
    const release = Promise.withResolvers<void>();
    const ready = vi.fn(() => release.promise);
    const { open } = await serve({ ready });
    await once(await open(probe.repeat(1_000)), 'close');
    expect(ready).toHaveBeenCalledTimes(1);
    release.resolve();
  });

  test('its connections are limited, and idle ones make room for others', async () => {
    const release = Promise.withResolvers<void>();
    const ready = vi.fn(() => release.promise);
    const { open } = await serve({ ready, maxConnections: 2 });
    const idle = await open();
    // A request after the response gets one on the same connection.
    for (let time = 1; time <= 3; time += 1)
      expect(await response(idle, probe.replace('readyz', 'livez'))).toContain('200 OK');
    const idleClosed = once(idle, 'close');
    const waiting = [await open(probe), await open(probe)];
    await idleClosed;
    await vi.waitFor(() => expect(ready).toHaveBeenCalledTimes(2));
    // Neither is idle, so there is no room.
    expect(await text(await open(probe))).toContain('503 Service Unavailable');
    release.resolve();
    for (const socket of waiting) expect(await response(socket)).toContain('200 OK');
  });
});

test.each([
  ['GET', '/', undefined, 404, { error: 40_407, message: 'path not found' }],
  ['GET', '/metrics', undefined, 500, { error: 50_007, message: 'no worker responds' }],
  ['GET', '/%zz', undefined, 400, { error: 40_007, message: 'the request is not well-formed HTTP' }],
  ['POST', '/livez', undefined, 405, { error: 40_507, message: 'method not allowed; use GET, HEAD' }],
  ['POST', '/livez', 'no JSON', 405, { error: 40_507, message: 'method not allowed; use GET, HEAD' }],
] as const)('every other failure is an Error record: %s %s, with %s', async (method, url, payload, status, body) => {
  const app = create({ metrics: () => Promise.reject(new Error('no worker responds')) });
  const sent = payload ? { headers: { 'content-type': 'application/json' }, payload } : {};
  const { statusCode, headers, ...refused } = await app.inject({ method, url, ...sent });
  const allow = status === 405 ? 'GET, HEAD' : undefined;
  expect([statusCode, headers['allow'], refused.json()]).toEqual([status, allow, body]);
});

test('a probe of HTTP/1.0 needs no Host', async () => {
  const { open } = await serve();
  expect(await text(await open('GET /livez HTTP/1.0\r\n\r\n'))).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});
