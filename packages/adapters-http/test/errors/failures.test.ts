import { once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CreatePlant,
  PlantRefused,
  StoreUnavailable,
  type TokenVerifier,
  VerifierUnavailable,
} from '@plant-store/domain';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type PlantServerOptions, plantServer } from '../plant-server.ts';

const anyToken: TokenVerifier = { verify: async () => ({ accepted: true, subject: 'anybody' }) };

/** A server on a free port, what it logged, and a way to create the same plant with it. */
async function serve(options: PlantServerOptions, query = '') {
  let log = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += chunk;
      done();
    },
  });
  const app = plantServer({
    tokens: anyToken,
    logger: pino(stream),
    ...options,
  });
  onTestFinished(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const create = (body: string) =>
    fetch(`${url}/plants${query}`, {
      method: 'POST',
      // A server that closes waits half a second for the next request of a kept connection.
      headers: { authorization: 'Bearer sesame', 'content-type': 'application/json', connection: 'close' },
      body,
    });
  return { url, create, log: () => log, close: () => app.close() };
}

function linesOf(log: () => string): readonly unknown[] {
  const lines = log().trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

const failing =
  (error: unknown): CreatePlant =>
  () =>
    Promise.reject(error);

test('an unavailable store is a 503 that asks to retry; the log has the reason, and one line', async () => {
  const unavailable = new StoreUnavailable('connect ECONNREFUSED /var/run/plants');
  const { create, log } = await serve({ useCases: { createPlant: failing(unavailable) } });
  const response = await create('{"id":1,"name":"Fern"}');
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.json()).toEqual({ error: 50301, message: expect.stringContaining('retry') });
  expect(linesOf(log)).toEqual([
    expect.objectContaining({
      level: 40,
      reqId: response.headers.get('x-request-id'),
      status: 503,
      error: 50301,
      reason: 'connect ECONNREFUSED /var/run/plants',
      msg: 'request completed',
    }),
  ]);
  expect(log()).not.toContain('stack');
});

test('a plant that the store refuses is a 400; the log has the reason, and is not told of a defect', async () => {
  const refused = new PlantRefused('violates check constraint "small"', { cause: new Error('the row') });
  const { create, log } = await serve({ useCases: { createPlant: failing(refused) } });
  const response = await create('{"id":1,"name":"Fern"}');
  expect(response.status).toBe(400);
  const message = 'the store refuses this plant; sending it again will not help';
  expect(await response.json()).toEqual({ error: 40008, message });
  expect(linesOf(log)).toEqual([
    expect.objectContaining({ status: 400, error: 40008, reason: refused.message, msg: 'request completed' }),
  ]);
  expect(log()).not.toMatch(/stack|internal error|the row/);
});

test('a request that its client aborted is in the log, and so is the 503 that it would have got', async () => {
  const stored = Promise.withResolvers<never>();
  const received = Promise.withResolvers<void>();
  const { url, log } = await serve({
    useCases: {
      createPlant: () => {
        received.resolve();
        return stored.promise;
      },
    },
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const body = '{"id":1,"name":"Fern"}';
  socket.write(
    `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sesame\r\nContent-Type: application/json\r\n` +
      `X-Request-Id: impatient\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await received.promise;
  socket.destroy();
  const aborted = expect.objectContaining({ reqId: 'impatient', path: '/plants', msg: 'request aborted' });
  await vi.waitFor(() => expect(linesOf(log)).toEqual([aborted]));
  expect(linesOf(log)[0]).not.toHaveProperty('status');
  stored.reject(new StoreUnavailable('the server hangs'));
  const failed = expect.objectContaining({ level: 40, reqId: 'impatient', error: 50301, reason: 'the server hangs' });
  await vi.waitFor(() => expect(linesOf(log)).toEqual([aborted, failed]));
});

test('a request that the service cut off at shutdown is in the log, and the client is not blamed', async () => {
  const received = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<never>();
  const createPlant = () => {
    received.resolve();
    return stored.promise;
  };
  const { create, log, close } = await serve({ closeTimeout: 1, useCases: { createPlant } });
  const created = create('{"id":1,"name":"Fern"}').catch(() => {});
  await received.promise;
  await close();
  await created;
  const reason = 'the service closed the connection: it is shutting down';
  expect(linesOf(log)).toEqual([expect.objectContaining({ msg: 'request aborted', reason })]);
  stored.reject(new Error('too late'));
});

test('a request whose body turns out to be malformed HTTP is one line in the log', async () => {
  const { url, log } = await serve({});
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(
    'POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sesame\r\nContent-Type: application/json\r\n' +
      'Transfer-Encoding: chunked\r\nX-Request-Id: torn\r\n\r\n1\r\n{\r\nno size\r\n',
  );
  await once(socket.resume(), 'close');
  expect(linesOf(log)).toEqual([
    expect.objectContaining({
      reqId: 'torn',
      error: 40006,
      reason: expect.stringContaining('(HPE_INVALID_CHUNK_SIZE)'),
    }),
  ]);
});

test('a malformed body whose request was refused already does not take the responses of earlier requests with it', async () => {
  const stored = Promise.withResolvers<void>();
  const verify = vi.fn<TokenVerifier['verify']>(async (token) =>
    token === 'sesame' ? { accepted: true, subject: token } : { accepted: false },
  );
  const { url } = await serve({
    tokens: { verify },
    useCases: {
      createPlant: async ({ name }) => {
        await stored.promise;
        return { outcome: 'created', plant: { name } };
      },
    },
  });
  const post = (token: string) =>
    `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${post('sesame')}Content-Length: 22\r\n\r\n{"id":1,"name":"Fern"}`);
  socket.write(`${post('wrong')}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`);
  await vi.waitFor(() => expect(verify).toHaveBeenCalledTimes(2));
  // Until the refusal waits behind the first response, and then until the malformed chunk was read.
  await sleep(100);
  socket.write('no size\r\n');
  await sleep(100);
  stored.resolve();
  expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401']);
});

test.each([
  ['what is no HTTP', 'no HTTP\r\n\r\n', ['malformed request rejected']],
  ['more after a last request', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', ['request completed']],
])('%s is one line in the log, however many bytes follow', async (_, bytes, messages) => {
  const { url, log } = await serve({});
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.pause();
  socket.write(bytes);
  for (let sent = 0; sent < 50 && !socket.destroyed; sent += 1) {
    socket.write('!');
    await sleep(1);
  }
  socket.resume();
  await closed;
  await vi.waitFor(() => expect(linesOf(log)).toEqual(messages.map((msg) => expect.objectContaining({ msg }))));
});

test('a token that cannot be checked is a 503, not a 401', async () => {
  const verify = () => Promise.reject(new VerifierUnavailable('no keys'));
  const { create } = await serve({ tokens: { verify } });
  const response = await create('{"id":1,"name":"Fern"}');
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.json()).toEqual({ error: 50304, message: expect.any(String) });
});

test.each([
  new TypeError('secret_table is not iterable'),
  'a string',
  undefined,
  { statusCode: 418, message: 'secret_table' },
])('any other error (%o) is a 500 that says nothing about it', async (thrown) => {
  const { create, log } = await serve({ useCases: { createPlant: failing(thrown) } });
  const response = await create('{"id":1,"name":"Fern"}');
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ error: 50001, message: expect.not.stringContaining('secret_table') });
  expect(log()).toContain('"level":50');
});

test('the body limit can be configured', async () => {
  const { create } = await serve({ bodyLimit: 22 });
  expect((await create('{"id":1,"name":"Fern"}')).status).toBe(200);
  const response = await create('{"id":1,"name":"Ferns"}');
  expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ error: 40004 })]);
});

test('the reason why a token is rejected is in the log line of the request, not in the response', async () => {
  const reason = 'JWT: expired (exp)';
  const { create, log } = await serve({ tokens: { verify: async () => ({ accepted: false, reason }) } });
  const response = await create('{"id":1,"name":"Fern"}');
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({ error: 40102, message: 'the access token is not accepted' });
  expect(JSON.stringify([...response.headers])).not.toContain('expired');
  const [line = ''] = log().trim().split('\n').slice(-1);
  expect(JSON.parse(line)).toMatchObject({ level: 30, status: 401, reason, msg: 'request completed' });
});

test('the log has the path of the request target, not what follows it', async () => {
  const { create, log } = await serve({}, '?access_token=sesame');
  await create('{"id":1,"name":"Fern"}');
  expect(log()).toContain('"path":"/plants"');
  expect(log()).not.toContain('sesame');
});

test('each request is one line in the log, with neither token nor body', async () => {
  const { create, log } = await serve({});
  await create('{"id":7654321,"name":"Fern"}');
  await create('{"id":7654321,"name":"Moss"}');
  const line = { level: 30, method: 'POST', path: '/plants', ms: expect.any(Number), msg: 'request completed' };
  expect(linesOf(log)).toEqual([
    expect.objectContaining({ ...line, status: 200 }),
    expect.objectContaining({ ...line, status: 400, error: 40005, reason: 'another plant has the id' }),
  ]);
  expect(log()).not.toMatch(/sesame|Fern|Moss|7654321/);
});
