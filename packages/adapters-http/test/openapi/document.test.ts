import { readFileSync } from 'node:fs';
import { create, expectDescribed, readDescription, toThePlants } from '@plant-store/contracts-http/wire';
import { StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';
import { statusOf } from '@plant-store/http-edge';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, onTestFinished, test } from 'vitest';
import { type ErrorKind, errorCatalogue } from '../../src/index.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { operations } from '../../src/operations/operations.ts';
import { type PlantServerOptions, plantServer } from '../plant-server.ts';

const asPublished = JSON.parse(JSON.stringify(openApiDocument(operations)));

test('openapi.json is up to date', () => {
  const committed = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
  const advice = 'run `npx pnpm@12 --filter @plant-store/adapters-http openapi` and commit openapi.json';
  expect(committed, advice).toEqual(asPublished);
});

test('the description is valid OpenAPI 3.1, its references included', async () => {
  const validator = new Validator();
  expect(await validator.validate(asPublished)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test.each(Object.keys(errorCatalogue) as ErrorKind[])('%s is described under its status', (kind) => {
  const { error, meaning } = errorCatalogue[kind];
  const status = statusOf(errorCatalogue[kind]);
  const items = Object.values<object>(asPublished.paths).flatMap<typeof asPublished.components>(Object.values);
  const described = [...items, asPublished.components].find(
    ({ responses }) => responses[status]?.content?.['application/json'].examples[kind],
  );
  expect(described?.responses[status]).toMatchObject({
    description: expect.stringContaining(`- ${error}: ${meaning}`),
    content: { 'application/json': { examples: { [kind]: { value: { error } } } } },
  });
});

test('X-Request-Id is described once, and every response refers to it', () => {
  const { responses } = asPublished.paths['/plants'].post;
  for (const status of Object.keys(responses)) {
    const { headers } = { ...responses[status], ...asPublished.components.responses[status] };
    expect(headers['X-Request-Id'], status).toEqual({ $ref: '#/components/headers/X-Request-Id' });
  }
  expect(asPublished.components.headers['X-Request-Id']).toMatchObject({ required: true });
});

test('no record is closed: clients that validate accept the members of later versions', () => {
  expect(JSON.stringify(asPublished)).not.toMatch(/additionalProperties|unevaluatedProperties/);
});

test('every example matches its schema', async () => {
  const description = await readDescription(await serve({}));
  const faults = examplesIn(asPublished).map(([example, path]) => description.faultOf(example, ...path, 'schema'));
  // Two requests, two responses, one of each error, and those of the headers.
  expect(faults.length).toBeGreaterThan(4 + Object.keys(errorCatalogue).length);
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
});

test.each([
  [
    'a store that is unavailable',
    503,
    { useCases: { createPlant: () => Promise.reject(new StoreUnavailable('gone')) } },
  ],
  [
    'a token that cannot be checked',
    503,
    { tokens: { verify: () => Promise.reject(new VerifierUnavailable('gone')) } },
  ],
  ['a defect', 500, { useCases: { createPlant: () => Promise.reject(new TypeError('defect')) } }],
])('the response to %s is described too', async (_title, status, options) => {
  const service = await serve(options);
  const response = await create(service, '{"id":7,"name":"Fern"}');
  expect(response.status).toBe(status);
  expectDescribed(await readDescription(service), response, toThePlants);
});

async function serve(options: PlantServerOptions) {
  const app = plantServer({
    tokens: { verify: async () => ({ accepted: true, subject: 'anybody' }) },
    ...options,
  });
  onTestFinished(() => app.close());
  return { baseUrl: await app.listen({ host: '127.0.0.1', port: 0 }), token: 'sesame' };
}

/** Every example of a media type, with the path of the media type. */
function examplesIn(value: unknown, path: readonly string[] = []): [example: unknown, path: readonly string[]][] {
  if (typeof value !== 'object' || value === null) return [];
  if ('example' in value) return [[value.example, path]];
  if ('examples' in value) return Object.values(value.examples as object).map((example) => [example.value, path]);
  return Object.entries(value).flatMap(([name, member]) => examplesIn(member, [...path, name]));
}
