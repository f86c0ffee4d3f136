import { readFileSync } from 'node:fs';
import { readDescription } from '@plant-store/contracts-http/wire';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, onTestFinished, test } from 'vitest';
import { errorCatalogue } from '../../src/index.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { operations } from '../../src/operations/operations.ts';
import { plantServer } from '../plant-server.ts';

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
  const app = plantServer();
  onTestFinished(() => app.close());
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  const description = await readDescription({ baseUrl, token: 'sesame' });
  const faults = examplesIn(asPublished).map(([example, path]) => description.faultOf(example, ...path, 'schema'));
  // Two requests, two responses, one of each error, and those of the headers.
  expect(faults.length).toBeGreaterThan(4 + Object.keys(errorCatalogue).length);
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
});

/** Every example of a media type, with the path of the media type. */
function examplesIn(value: unknown, path: readonly string[] = []): [example: unknown, path: readonly string[]][] {
  if (typeof value !== 'object' || value === null) return [];
  if ('example' in value) return [[value.example, path]];
  if ('examples' in value) return Object.values(value.examples as object).map((example) => [example.value, path]);
  return Object.entries(value).flatMap(([name, member]) => examplesIn(member, [...path, name]));
}
