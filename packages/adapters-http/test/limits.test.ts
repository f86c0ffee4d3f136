import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreOverloaded } from '@plant-store/domain';
import { expect, test, vi } from 'vitest';
import { patient, post, requestOf, serve, statuses, stopClock } from './serve.ts';

const close = { Connection: 'close' };
const created = { outcome: 'created', plant: { name: 'n' }, isNew: true } as const;

test('requests over the limit are refused at once; there is room again when one is completed or its client has gone away', async () => {
  const done = Promise.withResolvers<typeof created>();
  const createPlant = vi.fn(() => done.promise);
  const { open, received } = await serve({ useCases: { createPlant }, maxRequestsInFlight: 2 });
  const [first, second] = [await open(post(undefined, close)), await open(post())];
  await vi.waitFor(() => expect(createPlant).toHaveBeenCalledTimes(2), patient);
  expect(await received(post(undefined, close))).toMatch(/^HTTP\/1.1 503 .*retry-after: 1\r\n.*"error":50302/s);
  expect(statuses(await received(requestOf('GET /openapi.json HTTP/1.1', '', close)))).toEqual([200]);
  second.destroy();
  await vi.waitFor(async () => {
    void (await open(post()));
    expect(createPlant).toHaveBeenCalledTimes(3);
  }, patient);
  done.resolve(created);
  expect(statuses(await text(first))).toEqual([200]);
  await vi.waitFor(async () => expect(statuses(await received(post(undefined, close)))).toEqual([200]), patient);
});

test('of more than 10 pipelined requests the others get no response, and the connection is closed', async () => {
  const { received } = await serve();
  const last = requestOf('GET / HTTP/1.1', '', close);
  expect(statuses(await received(requestOf('GET / HTTP/1.1').repeat(9) + last))).toEqual(Array(10).fill(200));
  expect(statuses(await received(requestOf('GET / HTTP/1.1').repeat(2_000)))).toEqual(Array(10).fill(200));
});

test('a body in very many small chunks is not read to its end, and the client is told', async () => {
  const { received } = await serve();
  const chunked = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked', ...close };
  const inPieces = (json: string, size: number) =>
    `${(json.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`;
  const plant = '{"id":7,"name":"n"}';
  expect(statuses(await received(post(inPieces(plant.padEnd(60), 1), chunked)))).toEqual([200]);
  expect(statuses(await received(post(inPieces(plant.padEnd(65_536), 512), chunked)))).toEqual([200]);
  const response = await received(post(inPieces(plant.padEnd(2_000), 1), chunked));
  expect(response).toMatch(
    /^HTTP\/1.1 400 .*"error":40004,"message":"the body has too many small chunks; send larger ones"/s,
  );
});

test.each([
  ['more than 10 pipelined requests', post().repeat(11)],
  ['requests after an ambiguous one', post().repeat(8) + requestOf('GET * HTTP/1.1').repeat(2)],
  ['no HTTP after requests', `${post().repeat(9)}NONSENSE\r\n\r\n`],
])('a connection with responses that never end is closed after %s', async (_, bytes) => {
  const { app, open } = await serve({ useCases: { createPlant: () => new Promise(() => {}) } });
  const closed = Promise.withResolvers<void>();
  // Of whichever listening socket.
  app.server.once('connection', (connection: Socket) => connection.once('close', closed.resolve));
  await open(bytes);
  await closed.promise;
});

test('a file of the page closes its connection and is one buffer, however its URL is spelt', async () => {
  const { received } = await serve({ docs: true });
  const get = (path: string) => received(requestOf(`GET /docs/static/${path} HTTP/1.1`));
  const body = (response: string) => response.slice(response.indexOf('\r\n\r\n'));
  const [first, ...others] = [await get('index.css'), await get('index.css?1'), await get('index%2Ecss')];
  expect(first).toMatch(/^HTTP\/1.1 200 .*connection: close\r\n/s);
  for (const other of others) expect([statuses(other), body(other)]).toEqual([[200], body(first)]);
  const [, etag = ''] = /\r\netag: (.*)\r\n/i.exec(first ?? '') ?? [];
  const again = requestOf('GET /docs/static/index.css HTTP/1.1', '', { 'If-None-Match': etag });
  expect(statuses((await received(again)) + (await get('index.css')))).toEqual([304, 200]);
  for (const spelling of ['.%2Findex.css', '%2Findex.css', 'x/../index.css'])
    expect(statuses(await received(requestOf(`GET /docs/static/${spelling} HTTP/1.1`, '', close)))).toEqual([404]);
});

test.runIf(existsSync('/proc/self/fd'))(
  'a client that reads nothing of the page takes no file descriptor',
  async () => {
    const { open } = await serve({ docs: true });
    const bundle = requestOf('GET /docs/static/swagger-ui-bundle.js HTTP/1.1');
    const clients = await Promise.all(Array.from({ length: 10 }, () => open(bundle.repeat(10))));
    for (const client of clients) client.pause();
    await sleep(500);
    const isOfPage = (fd: string) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).includes('swagger-ui');
      } catch {
        // The one that lists the directory.
        return false;
      }
    };
    expect(readdirSync('/proc/self/fd').filter(isOfPage)).toEqual([]);
  },
);

test('above half of the connections, idle ones are closed after a second, so that they do not keep others out', async () => {
  const { open } = await serve({ maxConnections: 4 });
  const closed: number[] = [];
  for (const at of [1, 2, 3, 4]) {
    const socket = await open(requestOf('GET / HTTP/1.1'));
    await once(socket, 'data');
    socket.once('close', () => closed.push(at));
  }
  await expect.poll(() => closed.toSorted()).toEqual([3, 4]);
  await sleep(1_500);
  expect(closed).toHaveLength(2);
  expect(statuses(String(await once(await open(requestOf('GET / HTTP/1.1')), 'data')))).toEqual([200]);
});

test('the limit of requests a second holds when the clock is set back', async () => {
  stopClock();
  const { received } = await serve({ requestsPerSecond: 1 });
  const last = post(undefined, close);
  expect(statuses(await received(post() + last))).toEqual([200, 429]);
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(await received(last)).toMatch(/^HTTP\/1.1 429 .*retry-after: 1\r\n/s);
  vi.advanceTimersByTime(1_000);
  expect(statuses(await received(last))).toEqual([200]);
});

test.each([
  ['100 header fields', 97, 200],
  ['more than 100 header fields', 120, 400],
])('a request with %s gets %i', async (_, more, status) => {
  const { received } = await serve();
  const fields = Object.fromEntries(Array.from({ length: more }, (_, at) => [`X-${at}`, '']));
  expect(statuses(await received(requestOf('GET / HTTP/1.1', '', { ...close, ...fields })))).toEqual([status]);
});

test('connections over the limit are closed', async () => {
  const { open, received } = await serve({ maxConnections: 1 });
  await once(await open(), 'connect');
  expect(await received(requestOf('GET / HTTP/1.1')).catch(() => '')).toBe('');
});

test('while the store is overloaded, large bodies are refused unread, and small ones are not', async () => {
  const createPlant = vi.fn(async () => created).mockRejectedValueOnce(new StoreOverloaded('full'));
  stopClock();
  const { received } = await serve({ useCases: { createPlant } });
  const large = post(`{"id":7,"name":"${'n'.repeat(5_000)}"}`, close);
  const chunked = post('1\r\n{\r\n0\r\n\r\n', { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' });
  const sent = post() + post() + chunked + large;
  expect(statuses(await received(sent))).toEqual([503, 200, 503, 503]);
  expect(createPlant).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(100);
  expect(statuses(await received(large))).toEqual([200]);
});

test('a client has its own share of requests a second', async () => {
  stopClock();
  const { received } = await serve({ requestsPerSecond: 2 });
  const as = (token: string) => post(undefined, { Authorization: `Bearer ${token}` });
  const sent =
    as('one').repeat(3) +
    as('two') +
    post(undefined, { Authorization: undefined }).repeat(3) +
    requestOf('GET / HTTP/1.1', '', close);
  expect(statuses(await received(sent))).toEqual([200, 200, 429, 200, 401, 401, 401, 200]);
});

test('a client that leaves while its token is checked takes no place', async () => {
  const verify = async () => {
    await sleep(100);
    return { accepted: true, subject: 'me' } as const;
  };
  const { open, received } = await serve({ tokens: { verify }, maxRequestsInFlight: 1 });
  const noBody = requestOf('POST /plants HTTP/1.1', '', { Authorization: 'Bearer sesame' });
  for (let times = 0; times < 3; times += 1) (await open(noBody)).end();
  const resetting = await open(noBody);
  await sleep(30);
  resetting.resetAndDestroy();
  await vi.waitFor(async () => expect(statuses(await received(post(undefined, close)))).toEqual([200]), patient);
});
