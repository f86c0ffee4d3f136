import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreOverloaded, type TokenVerifier } from '@plant-store/domain';
import { expect, test, vi } from 'vitest';
import { patient, post, requestOf, serve, statuses, stopClock } from './serve.ts';

const close = { Connection: 'close' };
const created = { outcome: 'created', plant: { name: 'n' }, isNew: true } as const;

/** Tokens whose check takes so long that a connection can be closed meanwhile. */
const slowTokens: TokenVerifier = {
  async verify() {
    await sleep(100);
    return { accepted: true, subject: 'me' };
  },
};

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

test('more than 10 pipelined requests close the connection', async () => {
  const createPlant = vi.fn(() => new Promise<typeof created>(() => {}));
  const { received } = await serve({ useCases: { createPlant } });
  const last = requestOf('GET / HTTP/1.1', '', close);
  expect(statuses(await received(requestOf('GET / HTTP/1.1').repeat(9) + last))).toEqual(Array(10).fill(200));
  expect(await received(post().repeat(2_000)).catch(() => '')).toBe('');
  expect(createPlant).toHaveBeenCalledTimes(10);
});

test('requests of a connection that is closed while their tokens are checked create nothing, and take no place', async () => {
  const createPlant = vi.fn(async () => created);
  const { received } = await serve({ tokens: slowTokens, useCases: { createPlant }, maxRequestsInFlight: 9 });
  expect(await received(post().repeat(11)).catch(() => '')).toBe('');
  await sleep(200);
  expect(createPlant).not.toHaveBeenCalled();
  expect(statuses(await received(post(undefined, close)))).toEqual([200]);
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

test('a connection with a pending response is closed by what is no HTTP', async () => {
  const { received } = await serve({ useCases: { createPlant: () => new Promise(() => {}) } });
  expect(await received(`${post()}NONSENSE\r\n\r\n`).catch(() => '')).toBe('');
});

test('of a body in very many small chunks nothing is created, although its beginning and its end make a plant', async () => {
  const createPlant = vi.fn(async () => created);
  const { received } = await serve({ useCases: { createPlant } });
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const start = [...'{"id":7,"name":"'.padEnd(70, 'n')].map(chunk).join('');
  const body = `${start}${chunk(`${'m'.repeat(5_000)}"}`)}${chunk('')}`;
  const chunked = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };
  expect(statuses(await received(post(body, chunked)))).toEqual([400]);
  await sleep(100);
  expect(createPlant).not.toHaveBeenCalled();
});

test('a file of the page closes its connection', async () => {
  const { received } = await serve({ docs: true });
  const get = (more = {}) => received(requestOf('GET /docs/static/index.css HTTP/1.1', '', more).repeat(2));
  const response = await get();
  expect([statuses(response), response]).toEqual([[200], expect.stringMatching(/\r\nconnection: close\r\n/i)]);
  const [, etag = ''] = /\r\netag: (.*)\r\n/i.exec(response) ?? [];
  expect(statuses(await get({ 'If-None-Match': etag }))).toEqual([304]);
});

test('more than 50 files of the page at once are refused, and later ones are not', async () => {
  const { open, received } = await serve({ docs: true });
  const bundle = requestOf('GET /docs/static/swagger-ui-bundle.js HTTP/1.1');
  const clients = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const client = await open();
      await once(client, 'connect');
      return client;
    }),
  );
  for (const client of clients) client.write(bundle);
  const responses = await Promise.all(clients.map((client) => text(client)));
  expect(responses.filter((response) => response.includes('"error":50302'))).toHaveLength(10);
  expect(statuses(await received(bundle))).toEqual([200]);
});

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
  const { open, received } = await serve({ tokens: slowTokens, maxRequestsInFlight: 1 });
  const noBody = requestOf('POST /plants HTTP/1.1', '', { Authorization: 'Bearer sesame' });
  for (let times = 0; times < 3; times += 1) (await open(noBody)).end();
  const resetting = await open(noBody);
  await sleep(30);
  resetting.resetAndDestroy();
  await vi.waitFor(async () => expect(statuses(await received(post(undefined, close)))).toEqual([200]), patient);
});
