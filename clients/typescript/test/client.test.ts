import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { createHttpServer } from '@plant-store/adapters-http';
import { openMemory } from '@plant-store/adapters-memory';
import { fixedIds } from '@plant-store/contracts-http';
import { hardTexts, lookalikes } from '@plant-store/contracts-kit';
import { type PlantExport, type TokenVerifier, useCases } from '@plant-store/domain';
import { listening } from '@plant-store/testing';
import openapiTS, { astToString } from 'openapi-typescript';
import { describe, expect, onTestFinished, test } from 'vitest';
import { plantsUrl } from '../src/checks.ts';
import { exactJson, type NewPlant, PlantStoreError, plantStoreClient } from '../src/index.ts';
import { pauseAfter } from '../src/retries.ts';

const TOKEN = 'token-of-the-tests';
const tokens: TokenVerifier = {
  verify: async (token) => (token === TOKEN ? { accepted: true, subject: 'test' } : { accepted: false }),
};

async function readPlants(store: PlantExport): Promise<readonly NewPlant[]> {
  const plants: NewPlant[] = [];
  for await (const plant of store.readAll()) plants.push(plant);
  return plants;
}

describe('on the service', () => {
  /** Starts the service, and a client of it. */
  async function startService(options: { readonly requestsPerSecond?: number } = {}) {
    const store = openMemory();
    const app = createHttpServer({ useCases: useCases(store), tokens, ...options });
    onTestFinished(() => app.close());
    const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
    return { baseUrl, store, client: plantStoreClient({ baseUrl: `${baseUrl}/`, token: TOKEN }) };
  }

  test('creates the plants of the contract’s ids and texts exactly, and the same again', async () => {
    const { client, store } = await startService();
    const texts = [...hardTexts, ...lookalikes.flat()];
    const plants: readonly NewPlant[] = [
      ...fixedIds.map((id) => ({ id, name: `plant ${id}` })),
      ...texts.map((text, at) => ({ id: BigInt(1_000 + at), name: text, tag: text })),
    ];
    for (const { id, ...plant } of [...plants, ...plants])
      expect(await client.createPlant({ id, ...plant })).toEqual(plant);
    expect(await readPlants(store)).toEqual(plants.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  });

  test.each<[what: string, plant: Partial<NewPlant>, token: string, error: object]>([
    ['an id that another plant has', { name: 'Oak' }, TOKEN, { status: 400, error: 40005 }],
    ['an empty tag instead of none', { tag: '' }, TOKEN, { status: 400, error: 40005 }],
    ['a text that no store keeps', { name: '\ud800' }, TOKEN, { status: 400, error: 40002 }],
    ['an id beyond int64', { id: 2n ** 63n }, TOKEN, { status: 400, error: 40002 }],
    ['an unknown token', {}, 'another-token', { status: 401, error: 40102 }],
  ])('reports %s, and sends it once', async (_, changed, token, error) => {
    const { client, baseUrl, store } = await startService();
    await client.createPlant({ id: 7n, name: 'Fern' });
    const rejected = plantStoreClient({ baseUrl, token }).createPlant({ id: 7n, name: 'Fern', ...changed });
    await expect(rejected).rejects.toThrow(PlantStoreError);
    const requestId = expect.stringMatching(/./);
    await expect(rejected).rejects.toMatchObject({ ...error, requestId, attempts: 1, mayBeStored: false });
    expect(await readPlants(store)).toEqual([{ id: 7n, name: 'Fern' }]);
  });

  test('waits as long as the service asks for', async () => {
    const { client } = await startService({ requestsPerSecond: 1 });
    const startedAt = performance.now();
    for (const id of [1n, 2n]) expect(await client.createPlant({ id, name: 'Fern' })).toEqual({ name: 'Fern' });
    // Timers may be early by a millisecond.
    expect(performance.now() - startedAt).toBeGreaterThan(995);
  });

  test('has the types of the served description; otherwise run vitest with -u', async () => {
    const { baseUrl } = await startService();
    const { paths: _, components, ...document } = JSON.parse(await (await fetch(`${baseUrl}/openapi.json`)).text());
    const { schemas } = components;
    const declarations = await openapiTS({ ...document, paths: {}, components: { schemas } });
    const types = declarations.filter((each) => 'name' in each && Object(each.name).text === 'components');
    await expect(astToString(types)).toMatchFileSnapshot(join(import.meta.dirname, '../src/description.ts'));
  });
});

describe('behind a proxy', () => {
  /** A response; undefined closes the connection, and 'none' leaves it open. */
  type Responding =
    | { readonly status: number; readonly body: object | string; readonly headers?: object }
    | 'none'
    | undefined;

  const failure = (status: number, error: number, headers = {}) => ({
    status,
    body: { error, message: 'no' },
    headers,
  });
  const plant = { id: 9007199254740993n, name: 'Fern' };
  const created = { status: 200, body: { name: 'Fern' } };
  const page = '<html>';

  /** Starts a server with these responses in turn, and a client of it. */
  async function respondingWith(responses: readonly Responding[], limits: object = {}) {
    const requests: string[] = [];
    const server = createServer(async (request, response) => {
      const next = responses[requests.length];
      requests.push(`${request.headers.authorization} ${Buffer.concat(await request.toArray())}`);
      if (next === 'none') return;
      if (!next) return void request.socket.destroy();
      response.writeHead(next.status, { ...next.headers });
      response.end(typeof next.body === 'string' ? next.body : JSON.stringify(next.body));
    });
    const baseUrl = `http://127.0.0.1:${await listening(server, onTestFinished)}`;
    return { client: plantStoreClient({ baseUrl, token: TOKEN, ...limits }), requests };
  }

  test.each<[what: string, responses: readonly Responding[]]>([
    ['a lost connection', [undefined]],
    ['a 503 and a page of a proxy', [failure(503, 50301), { status: 502, body: page }, { status: 522, body: page }]],
    ['a late request and too many', [failure(400, 40007), failure(429, 42901, { 'retry-after': 'soon' })]],
    ['a defect, once', [failure(500, 50001)]],
  ])('repeats the same bytes after %s', async (_, responses) => {
    const { client, requests } = await respondingWith([...responses, created]);
    expect(await client.createPlant(plant)).toEqual({ name: 'Fern' });
    const request = `Bearer ${TOKEN} {"id":9007199254740993,"name":"Fern"}`;
    expect(requests).toEqual([...responses, created].map(() => request));
  });

  test.each<[what: string, responses: readonly Responding[], error: object]>([
    ['a second defect', [failure(500, 50001), failure(500, 50001)], { error: 50001, message: 'no', mayBeStored: true }],
    [
      'a redirection',
      [{ status: 302, body: page, headers: { location: '/login' } }],
      { status: 302, mayBeStored: false },
    ],
    ['a 200 without the plant', [{ status: 200, body: page }], { status: 200, error: undefined, mayBeStored: true }],
    ['a 200 with another plant', [{ status: 200, body: { name: 'Oak' } }], { status: 200, mayBeStored: true }],
    ['a revoked token after a lost response', [undefined, failure(401, 40102)], { error: 40102, mayBeStored: true }],
    ['a taken id after a lost response', [undefined, failure(400, 40005)], { error: 40005, mayBeStored: false }],
    ['a Retry-After beyond the deadline', [failure(503, 50302, { 'retry-after': '60' })], { error: 50302 }],
    [
      'a date beyond the deadline',
      [failure(503, 50302, { 'retry-after': new Date(Date.now() + 86_400_000).toUTCString() })],
      { error: 50302 },
    ],
  ])('reports %s', async (_, responses, error) => {
    const { client, requests } = await respondingWith([...responses, created]);
    const attempts = responses.length;
    await expect(client.createPlant(plant)).rejects.toMatchObject({ name: 'PlantStoreError', attempts, ...error });
    expect(requests).toHaveLength(attempts);
  });

  test('repeats an attempt that takes too long', async () => {
    // On a busy machine a response may be late as well.
    const responses = ['none', 'none', ...Array(30).fill(created)] as const;
    const { client, requests } = await respondingWith(responses, { attemptMs: 200, deadlineMs: 60_000 });
    expect(await client.createPlant(plant)).toEqual({ name: 'Fern' });
    expect(requests.length).toBeGreaterThanOrEqual(3);
  });

  test('gives up at the deadline, also during an attempt', { timeout: 30_000 }, async () => {
    const { client } = await respondingWith(['none'], { attemptMs: 60_000, deadlineMs: 200 });
    const error = { status: undefined, attempts: 1, mayBeStored: true, cause: { name: 'TimeoutError' } };
    await expect(client.createPlant(plant)).rejects.toMatchObject(error);
  });

  const patient = { attemptMs: 60_000, deadlineMs: 120_000 };
  test.each<[when: string, responses: readonly Responding[]]>([
    ['an attempt', ['none']],
    ['a pause', [failure(503, 50302, { 'retry-after': '60' })]],
  ])('ends %s when the signal aborts', { timeout: 30_000 }, async (_, responses) => {
    const { client, requests } = await respondingWith(responses, patient);
    const controller = new AbortController();
    const ended = expect(client.createPlant(plant, controller)).rejects.toThrow('the user left');
    await expect.poll(() => requests).toHaveLength(1);
    // The client reads the response.
    await sleep(100);
    controller.abort(new Error('the user left'));
    await ended;
    expect(requests).toHaveLength(1);
  });

  test('sends nothing if the signal has aborted', async () => {
    const { client, requests } = await respondingWith([created], { deadlineMs: 0 });
    const signal = AbortSignal.abort(new Error('the user left'));
    await expect(client.createPlant(plant, { signal })).rejects.toThrow('the user left');
    expect(requests).toHaveLength(0);
  });

  test('reads the token anew for each attempt', async () => {
    let reads = 0;
    const token = async () => `token-${++reads}`;
    const { client, requests } = await respondingWith([undefined, created], { token });
    await client.createPlant(plant);
    expect(requests.map((request) => request.split(' ')[1])).toEqual(['token-1', 'token-2']);
  });

  const never = () => new Promise<string>(() => {});

  test('waits for a token only until the deadline', { timeout: 30_000 }, async () => {
    const { client, requests } = await respondingWith([], { token: never, deadlineMs: 50 });
    const error = { message: 'no token before the deadline', attempts: 0, mayBeStored: false };
    await expect(client.createPlant(plant)).rejects.toMatchObject({ name: 'PlantStoreError', ...error });
    expect(requests).toHaveLength(0);
  });

  test('knows that the plant may be stored when the next token does not come', { timeout: 30_000 }, async () => {
    const answers = [async () => TOKEN, never];
    const token = () => answers.shift()?.();
    const { client } = await respondingWith([undefined], { token, deadlineMs: 3_000 });
    await expect(client.createPlant(plant)).rejects.toMatchObject({ attempts: 1, mayBeStored: true });
  });

  test.each<[when: string, abort: (controller: AbortController) => void]>([
    ['has aborted', (controller) => controller.abort(new Error('the user left'))],
    ['aborts', (controller) => setTimeout(() => controller.abort(new Error('the user left')), 50)],
  ])('waits for no token once the signal %s', { timeout: 30_000 }, async (_, abort) => {
    const { client, requests } = await respondingWith([], { token: never, ...patient });
    const controller = new AbortController();
    abort(controller);
    await expect(client.createPlant(plant, controller)).rejects.toThrow('the user left');
    expect(requests).toHaveLength(0);
  });

  test('waits for a token without a deadline, and passes on why there is none', async () => {
    const token = () => sleep(20, TOKEN);
    const { client } = await respondingWith([created], { token, deadlineMs: Infinity });
    expect(await client.createPlant(plant)).toEqual({ name: 'Fern' });
    const signedOut = { token: () => Promise.reject(new Error('signed out')) };
    const { client: other } = await respondingWith([created], signedOut);
    await expect(other.createPlant(plant)).rejects.toThrow('signed out');
  });

  test.each(['', 'secret\n', 'my secret', 'secret\u0000', 'é-secret', '=secret', 'my=secret', '"secret"'])(
    'sends no request with %j as the token, and does not show it',
    async (wrong) => {
      const { client, requests } = await respondingWith([created], { token: async () => wrong });
      const error = await client.createPlant(plant).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TypeError);
      expect(inspect(error)).toContain('the token must have only the characters');
      expect(inspect(error)).not.toContain('secret');
      expect(requests).toHaveLength(0);
    },
  );

  test('sends a token of all characters that a token may have', async () => {
    const { client, requests } = await respondingWith([created], { token: 'aZ09-._~+/==' });
    await client.createPlant(plant);
    expect(requests).toEqual([expect.stringContaining('Bearer aZ09-._~+/== ')]);
  });

  test('sends no number that may have lost digits', async () => {
    const { client, requests } = await respondingWith([]);
    await expect(client.createPlant({ ...plant, id: 7 as never })).rejects.toThrow(
      'the id must be a bigint, such as 7n',
    );
    expect(requests).toHaveLength(0);
  });
});

test.each([
  '',
  'example.org',
  '/garden',
  'localhost:3000',
  'ftp://example.org',
  'http://',
  'https://user:secret@example.org',
  'https://user@example.org',
  'https://user:secret@example.org:port',
  'https://example.org/garden?key=secret',
  'https://example.org/garden?',
  'https://example.org/#secret',
])('makes no client of %j, and does not show it', (baseUrl) => {
  const make = () => plantStoreClient({ baseUrl, token: TOKEN });
  expect(make).toThrow(TypeError);
  expect(make).toThrow('the base URL must be like https://example.org/garden');
  expect(make).toThrow(expect.toSatisfy((error) => !inspect(error, { showHidden: true }).includes('secret')));
});

test.each([
  ['HTTP://127.0.0.1:3000', 'http://127.0.0.1:3000/plants'],
  ['https://example.org/garden/', 'https://example.org/garden/plants'],
  ['https://example.org/@user', 'https://example.org/@user/plants'],
])('at %s the plants are at %s', (baseUrl, url) => {
  expect(plantsUrl(baseUrl)).toBe(url);
});

test.each<[replies: number, retryAfter: string | undefined, fromMs: number, toMs: number]>([
  [1, undefined, 0, 200],
  [4, undefined, 0, 1_600],
  [99, undefined, 0, 5_000],
  [1, '2', 2_000, 2_200],
  [1, '-2', 0, 200],
  [1, 'soon', 0, 200],
  [1, 'Thu, 26 Nov 2026 12:00:00 GMT', 0, 200],
])('after %i replies with Retry-After %s the pause has %i to %i ms', (count, retryAfter, from, to) => {
  const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter });
  const replies = Array(count).fill({ status: 503, record: {}, headers });
  const pauses = Array.from({ length: 1_000 }, () => pauseAfter(replies) ?? NaN);
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(from);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(to);
  // They are random.
  expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan((to - from) / 2);
});

test('exactJson writes every bigint as an exact number', () => {
  expect(exactJson({ ids: [9007199254740993n, -(2n ** 63n)], name: '7n' })).toBe(
    '{"ids":[9007199254740993,-9223372036854775808],"name":"7n"}',
  );
});
