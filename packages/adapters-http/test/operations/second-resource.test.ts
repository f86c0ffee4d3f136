import { openMemory } from '@plant-store/adapters-memory';
import { type DeployedService, httpContract } from '@plant-store/contracts-http';
import { readDescription } from '@plant-store/contracts-http/wire';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { type UseCases, useCases } from '@plant-store/domain';
import { HttpError, notFound } from '@plant-store/http-edge';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { errorKind } from '../../src/operations/error-catalogue.ts';
import { operation } from '../../src/operations/operation.ts';
import { operations as ofPlants } from '../../src/operations/operations.ts';
import { type HttpServerOptions, serveOperations } from '../../src/server.ts';

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
  errors: {
    'not-a-seed': errorKind(40091, 'The body is no seed.', new HttpError('not-a-seed', 'the body is not a Seed')),
    'sku-taken': errorKind(40092, 'Another seed has the sku.', new HttpError('sku-taken', 'sku: another seed has it')),
  },
  handle: async ({ body }, cases: SeedUseCases) => ({ body, outcome: await cases.createSeed(body) }),
  respond({ body, outcome }) {
    if (outcome === 'created') return body;
    throw new HttpError('sku-taken', 'sku: another seed has it');
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
  errors: {},
  handle: ({ parameters: { sku } }, cases: SeedUseCases) => cases.findSeed(sku),
  respond(found) {
    if (found) return found;
    throw notFound([]);
  },
});

/** A stand-in, until plants have one. */
const findPlant = operation({
  ...findSeed,
  id: 'findPlant',
  path: '/plants/{sku}',
  tag: { name: 'plants', description: 'The plants in the store.' },
  handle: async () => undefined,
});
const findsPlants = ofPlants.some(({ path }: { readonly path: string }) => path.startsWith('/plants/{'));

function readSeed(bytes: Buffer): Seed {
  const { success, data } = seed.safeParse(JSON.parse(bytes.toString()));
  if (success) return data;
  throw new HttpError('not-a-seed', 'the body is not a Seed');
}

function serve(settings: Partial<HttpServerOptions> = {}, findSlowly?: SeedUseCases['findSeed']) {
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
  const served = [...ofPlants, createSeed, findSeed, ...(findsPlants ? [] : [findPlant])];
  const app = serveOperations<UseCases & SeedUseCases>(served, {
    tokens: { verify: async (subject) => (subject === 'sesame' ? { accepted: true, subject } : { accepted: false }) },
    closeTimeout: 1,
    ...settings,
    useCases: cases,
  });
  return {
    app,
    /** The status, and the record that comes with it. */
    async send(method: 'GET' | 'POST' | 'PUT', url: string, payload?: object, token = 'sesame') {
      const headers = { authorization: `Bearer ${token}` };
      const response = await app.inject({ method, url, headers, ...(payload ? { payload } : {}) });
      return [response.statusCode, response.json(), response.headers['allow']] as const;
    },
  };
}

const beans = { sku: 'bean/7', grams: 2.5 };
const long = { sku: 'x'.repeat(5_000), grams: 1 };

test('it is created and found by its own operations, beside plants', async () => {
  const { send } = serve();
  for (const [method, url, sent, status, body] of [
    ['POST', '/seeds', beans, 200, beans],
    ['GET', '/seeds/bean%2F7', undefined, 200, beans],
    ['POST', '/seeds', { ...beans, grams: 3 }, 400, { error: 40092 }],
    ['POST', '/seeds', { id: 7, name: 'Fern' }, 400, { error: 40091 }],
    ['POST', '/plants', { id: 7, name: 'Fern' }, 200, { name: 'Fern' }],
    ['POST', '/plants', beans, 400, { error: 40002 }],
    // A key may be as long as the head of a request.
    ['POST', '/seeds', long, 200, long],
    ['GET', `/seeds/${long.sku}`, undefined, 200, long],
  ] as const)
    expect(await send(method, url, sent)).toMatchObject([status, body, undefined]);
});

test.each([
  ['GET', '/seeds/bean', '', 401, undefined],
  ['GET', '/seeds/bean', 'else', 401, undefined],
  ['POST', '/seeds', 'else', 401, undefined],
  ['POST', '/seeds/bean', 'sesame', 405, 'GET, HEAD'],
  ['PUT', '/seeds/bean%2F7?x=/plants', 'sesame', 405, 'GET, HEAD'],
  ['GET', '/seeds', 'sesame', 405, 'POST'],
  ['PUT', '/plants', 'sesame', 405, 'POST'],
  ['POST', '/plants/7', 'sesame', 405, 'GET, HEAD'],
  ['GET', '/seeds/bean/leaves', 'sesame', 404, undefined],
  ['POST', '/seeds/bean/leaves', 'sesame', 404, undefined],
  ['GET', '/seeds/', 'sesame', 404, undefined],
  ['GET', '/seeds/{sku}', 'sesame', 404, undefined],
] as const)('%s %s with the token «%s» gets %i, with Allow: %s', async (method, url, token, status, allow) => {
  const { send } = serve({}, async (sku) => ({ sku, grams: 1 }));
  const [actual, , allowed] = await send(method, url, method === 'GET' ? undefined : {}, token);
  expect([actual, allowed]).toEqual([status, allow]);
});

test('a GET that is an operation takes no place of a document', async () => {
  const found = Promise.withResolvers<Seed>();
  const { send } = serve({ maxRequestsInFlight: 1 }, () => found.promise);
  const first = send('GET', '/seeds/bean');
  await expect.poll(() => send('GET', '/seeds/bean')).toMatchObject([503, { error: 50302 }, undefined]);
  expect((await send('GET', '/openapi.json'))[0]).toBe(200);
  found.resolve(long);
  expect(await first).toMatchObject([200, long, undefined]);
});

// The clauses about paths, methods and the description allow for other operations than those of today.
const { app } = serve();
let service: DeployedService;

beforeAll(async () => {
  service = { baseUrl: await app.listen({ host: '127.0.0.1', port: 0 }), token: 'sesame' };
});

afterAll(() => app.close());

const about = ['HC-38', 'HC-40', 'HC-41', 'HC-62', 'HC-63', 'HC-64', 'HC-65'];
const clauses: typeof httpContract.clauses = httpContract.clauses.filter(({ id }) => about.includes(id));
describeContract({ ...httpContract, clauses }, () => service);

test('both are described, each with the errors that it can send', async () => {
  const description = await readDescription(service);
  expect(await new Validator().validate(Object(description.at()))).toEqual({ valid: true });
  expect(Object.keys(Object(description.at('components', 'schemas')))).toEqual(['Plant', 'NewPlant', 'Seed', 'Error']);
  const examplesOf = (...names: readonly string[]) =>
    Object.keys(Object(description.at('paths', ...names, 'content', 'application/json', 'examples')));
  expect(examplesOf('/seeds/{sku}', 'get', 'responses', '400')).toEqual(['malformed-http', 'request-timeout']);
  expect(examplesOf('/seeds', 'post', 'responses', '400')).toContain('sku-taken');
  expect(examplesOf('/seeds', 'post', 'responses', '400')).not.toContain('plant-refused');
  expect(description.at('paths', '/seeds/{sku}', 'get', 'parameters', '0')).toMatchObject({ name: 'sku', in: 'path' });
  expect(description.at('paths', '/seeds/{sku}', 'get', 'requestBody')).toBeUndefined();
});
