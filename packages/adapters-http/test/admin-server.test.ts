import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
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
  const app = createAdminServer({
    ready: async () => {},
    metrics: async () => 'up 1\n',
    allowedHosts: ['plant-store', 'Metrics.example.'],
  });
  const { statusCode, body } = await app.inject({ url: '/metrics', headers: { host } });
  expect(statusCode).toBe(status);
  if (status === 400) expect(JSON.parse(body)).toMatchObject({ error: 40006 });
});

test('a probe of HTTP/1.0 needs no Host', async () => {
  const { hostname, port } = new URL(await serve(async () => {}));
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.write('GET /livez HTTP/1.0\r\n\r\n');
  expect((await socket.toArray()).join('')).toContain('200 OK');
});

describe('what a client makes it hold', () => {
  /** A probe that waits, and what is sent with it; resolves with the connection's end at the server. */
  async function send(text: string) {
    const release = Promise.withResolvers<void>();
    const ready = vi.fn(() => release.promise);
    const app = createAdminServer({ ready, metrics: async () => '' });
    onTestFinished(() => app.close());
    const { hostname, port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const accepted = once(app.server, 'connection');
    const client = connect(Number(port), hostname).setEncoding('utf8');
    onTestFinished(() => void client.destroy());
    client.on('error', () => {}).write(text);
    const [socket] = await accepted;
    return { client, socket, ready, release: release.resolve };
  }

  test.each(['', 'Upgrade: h2c\r\n', 'Connection: Upgrade\r\nUpgrade: h2c\r\n', 'Expect: 100-continue\r\n'])(
    'a request with a body is refused at once and its connection ends, with %j',
    async (header) => {
      const head = `GET /readyz HTTP/1.1\r\nHost: localhost\r\n${header}Transfer-Encoding: chunked\r\n\r\n`;
      const { client, socket, ready } = await send(`${head}1\r\n \r\n`);
      if (!socket.destroyed) await once(socket, 'close');
      expect((await client.toArray()).join('')).toMatch(/HTTP\/1.1 400 .*"error":40006,"message":"send no body"/s);
      expect(ready).not.toHaveBeenCalled();
    },
  );

  test('a request that does not wait for the response before it ends the connection', async () => {
    const text = 'GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const { client, ready, release } = await send(text.repeat(1_000));
    await once(client, 'close');
    expect(ready).toHaveBeenCalledTimes(1);
    release();
  });

  test('a request after the response gets one on the same connection', async () => {
    const text = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const { client } = await send(text);
    for (let time = 1; time <= 3; time += 1) {
      expect((await once(client, 'data'))[0]).toContain('200 OK');
      client.write(text);
    }
  });
});

test('its connections are limited, and idle ones make room for others', async () => {
  const release = Promise.withResolvers<void>();
  const url = await serve(() => release.promise, 2);
  const { hostname, port } = new URL(url);
  const get = (path: string) => {
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return socket;
  };
  const idle = get('/livez');
  await once(idle, 'data');
  const idleClosed = once(idle, 'close');
  const waiting = [get('/readyz')];
  await idleClosed;
  waiting.push(get('/readyz'));
  // Neither is idle, so there is no room.
  await new Promise((resolve) => get('/livez').once('close', resolve).resume());
  release.resolve();
  for (const socket of waiting) expect((await once(socket, 'data'))[0]).toContain('200 OK');
});

test('every other failure is an Error record', async () => {
  const app = createAdminServer({
    ready: async () => {},
    metrics: () => Promise.reject(new Error('no worker responds')),
  });
  onTestFinished(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  expect(await get(`${url}/`)).toEqual([404, { error: 40401, message: 'path not found' }]);
  expect(await get(`${url}/metrics`)).toEqual([500, { error: 50001, message: 'no worker responds' }]);
  const posted = await fetch(`${url}/livez`, { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect(await posted.json()).toEqual({ error: 40501, message: 'method not allowed; use GET, HEAD' });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${url}/livez`, { method: 'POST', headers, body: 'no JSON' })).status).toBe(405);
  expect(await get(`${url}/%zz`)).toEqual([400, { error: 40006, message: 'the request is not well-formed HTTP' }]);
});

test('a request that cannot be read gets an Error record; a connection that stays silent is closed without a response', async () => {
  const { hostname, port } = new URL(await serve(async () => {}));
  const open = () => connect(Number(port), hostname).setEncoding('utf8');
  const silent = (await open().toArray()).join('');
  expect(silent).toBe('');
  const unreadable = open();
  unreadable.write('no HTTP\r\n\r\n');
  const [head, body] = (await unreadable.toArray()).join('').split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\ndate: .*\r\ncontent-type: application\/json\r\n/);
  expect(JSON.parse(body ?? '')).toEqual({ error: 40006, message: 'the request is not well-formed HTTP' });
}, 10_000);
