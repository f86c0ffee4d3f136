import { openMemory } from '@plant-store/adapters-memory';
import { type DeployedService, httpContract } from '@plant-store/contracts-http';
import { readDescription } from '@plant-store/contracts-http/wire';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { type UseCases, useCases } from '@plant-store/domain';
import { HttpError, notFound } from '@plant-store/http-edge';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { operation } from '../../src/operations/operation.ts';
import { operations as ofPlants } from '../../src/operations/operations.ts';
import { serveOperations } from '../../src/server.ts';
import type { HttpServerOptions } from '../../src/server-options.ts';

// A resource that is no plant: its key is text, and it has a number. Never served, but in tests: what knows plants breaks it.
const seed = z.object({ sku: z.string().min(1), grams: z.number() });

type Seed = z.infer<typeof seed>;

interface SeedUseCases {
  readonly findSeed: (sku: string) => Promise<Seed | undefined>;
  readonly createSeed: (seed: Seed) => Promise<'created' | 'taken'>;
}

const tag = { name: 'seeds', description: 'The seeds in stock.' };
const record = { name: 'Seed', schema: seed, examples: { beans: { sku: 'bean/7', grams: 2.5 } } };

const createSeed = operation({
  id: 'createSeed',
  method: 'POST',
  path: '/seeds',
  summary: 'Create seed',
  description: 'Adds a seed.',
  tag,
  body: { ...record, read: readSeed },
  response: { ...record, description: 'The created seed.' },
  errors: ['not-a-new-plant', 'id-taken', 'store-unavailable'],
  handle: async ({ body }, cases: SeedUseCases) => ({ body, outcome: await cases.createSeed(body) }),
  respond({ body, outcome }) {
    if (outcome === 'created') return body;
    throw new HttpError('id-taken', 'sku: another seed has it');
  },
});

const findSeed = operation({
  id: 'findSeed',
  method: 'GET',
  path: '/seeds/{sku}',
  summary: 'Find seed',
  description: 'Gets a seed.',
  tag,
  parameters: {
    sku: {
      description: 'Its key.',
      schema: { type: 'string', pattern: '^[\\w/]+$' },
      read: (text) => (/^[\w/]+$/.test(text) ? text : undefined),
    },
  },
  response: { ...record, description: 'The seed.' },
  errors: ['store-unavailable'],
  handle: ({ parameters: { sku } }, cases: SeedUseCases) => cases.findSeed(sku),
  respond(found) {
    if (found) return found;
    throw notFound([]);
  },
});

const findPlant = operation({
  ...findSeed,
  id: 'findPlant',
  path: '/plants/{sku}',
  tag: { name: 'plants', description: 'The plants in the store.' },
  handle: async () => undefined,
});

function readSeed(bytes: Buffer): Seed {
  const { success, data } = seed.safeParse(JSON.parse(bytes.toString()));
  if (success) return data;
  throw new HttpError('not-a-new-plant', 'the body is not a Seed');
}

function serve(options: Partial<HttpServerOptions> = {}, findSlowly?: SeedUseCases['findSeed']) {
  const seeds = new Map<string, Seed>();
  const cases: UseCases & SeedUseCases = {
    ...useCases(openMemory()),
    findSeed: findSlowly ?? (async (sku) => seeds.get(sku)),
    async createSeed(created) {
      if (seeds.has(created.sku)) return 'taken';
      seeds.set(created.sku, created);
      return 'created';
    },
  };
  return serveOperations<UseCases & SeedUseCases>([...ofPlants, createSeed, findSeed, findPlant], {
    tokens: {
      verify: async (text) => (text === 'sesame-seed' ? { accepted: true, subject: text } : { accepted: false }),
    },
    closeTimeout: 1,
    ...options,
    useCases: cases,
  });
}

type Server = ReturnType<typeof serve>;

function post(app: Server, url: string, payload: object, token = 'sesame-seed') {
  return app.inject({ method: 'POST', url, headers: { authorization: `Bearer ${token}` }, payload });
}

function get(app: Server, url: string, token = 'sesame-seed') {
  return app.inject({ url, headers: { authorization: `Bearer ${token}` } });
}

const answered = ({ statusCode, payload }: LightMyRequestResponse) => [statusCode, JSON.parse(payload)];

test('it is created and found by its own operations, beside plants', async () => {
  const app = serve();
  const beans = { sku: 'bean/7', grams: 2.5 };
  expect(answered(await post(app, '/seeds', beans))).toEqual([200, beans]);
  expect(answered(await get(app, '/seeds/bean%2F7'))).toEqual([200, beans]);
  expect(answered(await post(app, '/seeds', { ...beans, grams: 3 }))).toMatchObject([400, { error: 40005 }]);
  expect(answered(await post(app, '/seeds', { id: 7, name: 'Fern' }))).toMatchObject([400, { error: 40002 }]);
  expect(answered(await post(app, '/plants', { id: 7, name: 'Fern' }))).toEqual([200, { name: 'Fern' }]);
  expect(answered(await post(app, '/plants', beans))).toMatchObject([400, { error: 40002 }]);
});

test('every operation needs a token, and says so before anything else', async () => {
  const app = serve();
  expect(answered(await get(app, '/seeds/bean', ''))).toMatchObject([401, { error: 40101 }]);
  expect(answered(await get(app, '/seeds/bean', 'else'))).toMatchObject([401, { error: 40102 }]);
  expect(answered(await post(app, '/seeds', {}, 'else'))).toMatchObject([401, { error: 40102 }]);
});

test.each([
  ['POST', '/seeds/bean', 405, 'GET, HEAD'],
  ['PUT', '/seeds/bean%2F7?x=/plants', 405, 'GET, HEAD'],
  ['GET', '/seeds', 405, 'POST'],
  ['PUT', '/plants', 405, 'POST'],
  ['POST', '/plants/7', 405, 'GET, HEAD'],
  ['GET', '/seeds/bean/leaves', 404, undefined],
  ['POST', '/seeds/bean/leaves', 404, undefined],
  ['GET', '/seeds/', 404, undefined],
  ['GET', '/seeds/{sku}', 404, undefined],
] as const)('%s %s gets %i, with Allow: %s', async (method, url, status, allow) => {
  const app = serve({}, async (sku) => ({ sku, grams: 1 }));
  const response = await app.inject({ method, url, headers: { authorization: 'Bearer sesame-seed' } });
  expect([response.statusCode, response.headers['allow']]).toEqual([status, allow]);
});

test('a key may be as long as the head of a request', async () => {
  const app = serve();
  const long = { sku: 'x'.repeat(5_000), grams: 1 };
  await post(app, '/seeds', long);
  expect(answered(await get(app, `/seeds/${long.sku}`))).toEqual([200, long]);
});

test('a GET that is an operation takes no place of a document', async () => {
  const found = Promise.withResolvers<Seed>();
  const app = serve({ maxRequestsInFlight: 1 }, () => found.promise);
  const first = get(app, '/seeds/bean').then(answered);
  await expect.poll(async () => answered(await get(app, '/seeds/bean'))).toMatchObject([503, { error: 50302 }]);
  expect((await get(app, '/openapi.json')).statusCode).toBe(200);
  found.resolve({ sku: 'bean', grams: 1 });
  expect(await first).toEqual([200, { sku: 'bean', grams: 1 }]);
});

test('both are described, each with the errors that it can send', async () => {
  const app = serve();
  const listening = { baseUrl: await app.listen({ host: '127.0.0.1', port: 0 }), token: 'sesame-seed' };
  const description = await readDescription(listening);
  await app.close();
  expect(await new Validator().validate(JSON.parse((await get(serve(), '/openapi.json')).payload))).toEqual({
    valid: true,
  });
  expect(Object.keys(Object(description.at('components', 'schemas')))).toEqual(['Plant', 'NewPlant', 'Seed', 'Error']);
  const examplesOf = (...names: readonly string[]) =>
    Object.keys(Object(description.at('paths', ...names, 'content', 'application/json', 'examples')));
  expect(examplesOf('/seeds/{sku}', 'get', 'responses', '400')).toEqual(['malformed-http', 'request-timeout']);
  expect(examplesOf('/seeds', 'post', 'responses', '400')).toContain('id-taken');
  expect(examplesOf('/seeds', 'post', 'responses', '400')).not.toContain('plant-refused');
  expect(description.at('paths', '/seeds/{sku}', 'get', 'parameters', '0')).toMatchObject({ name: 'sku', in: 'path' });
  expect(description.at('paths', '/seeds/{sku}', 'get', 'requestBody')).toBeUndefined();
});

// The clauses about paths, methods and the description allow for other operations than those of today.
const app = serve();
let service: DeployedService;

beforeAll(async () => {
  service = { baseUrl: await app.listen({ host: '127.0.0.1', port: 0 }), token: 'sesame-seed' };
});

afterAll(() => app.close());

const about = ['HC-38', 'HC-40', 'HC-41', 'HC-62', 'HC-63', 'HC-64', 'HC-65'];
const clauses: typeof httpContract.clauses = httpContract.clauses.filter(({ id }) => about.includes(id));
describeContract({ ...httpContract, clauses }, () => service);
