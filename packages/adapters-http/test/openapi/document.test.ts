import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../src/openapi/document.ts';
import { operations } from '../../src/operations/operations.ts';

const asPublished = JSON.parse(JSON.stringify(openApiDocument(operations)));

test('openapi.json is up to date', () => {
  const committed = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
  const advice = 'run `npx pnpm@12 --filter @plant-store/adapters-http openapi` and commit openapi.json';
  expect(committed, advice).toEqual(asPublished);
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
