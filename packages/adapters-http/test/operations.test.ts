import { openMemory } from '@plant-store/adapters-memory';
import { useCases } from '@plant-store/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { errorKinds } from '../src/errors.ts';
import type { Operation } from '../src/operation.ts';
import { createPlant } from '../src/plants.ts';
import { type HttpServerOptions, serverOf } from '../src/server.ts';

const params = z.object({ id: z.string() });
const querystring = z.strictObject({ after: z.string().max(3, { error: 'is too long' }).optional() });
const errors = errorKinds({ 'not-a-query': [40099, 'The query is not one.'] });

/** Has what no operation has yet: parameters in the path and in the query. */
const listSeeds: Operation<'createPlant', unknown, z.infer<typeof params>, z.infer<typeof querystring>> = {
  ...createPlant,
  method: 'GET',
  path: '/plants/{id}/seeds.json',
  operationId: 'listSeeds',
  schemas: { params, querystring, response: createPlant.schemas.response },
  errors: Object.values(errors),
  invalid: errors['not-a-query'],
  handle: async (_, { params: { id }, query }) => ({ id, ...query }),
};

const server = (options: Partial<HttpServerOptions> = {}) =>
  serverOf([createPlant, listSeeds], {
    tokens: { verify: async () => ({ accepted: true, subject: 'test' }) },
    useCases: useCases(openMemory()),
    ...options,
  });

const headers = { authorization: 'Bearer sesame' };

test.each([
  ['/plants/7/seeds.json?after=5', 200, { id: '7', after: '5' }],
  ['/plants/%0A/seeds.json', 200, { id: '\n' }],
  ['/plants//seeds.json', 404, { error: 40401 }],
  ['/plants/7/8/seeds.json', 404, { error: 40401 }],
  ['/plants/7/seedsXjson', 404, { error: 40401 }],
  [`/plants/${'7'.repeat(101)}/seeds.json`, 404, { error: 40401 }],
  ['/plants/7/seeds.json?after=5678', 400, { error: 40099, message: 'after is too long' }],
  ['/plants/7/seeds.json?x=1', 400, { error: 40099, message: expect.stringMatching(/^the query /) }],
])('GET %s gets %i', async (url, status, record) => {
  const response = await server().inject({ url, headers });
  expect([response.statusCode, response.json()]).toEqual([status, expect.objectContaining(record)]);
});

test('another method gets 405 with the methods of the path, and its label is the path as it is described', async () => {
  const completed = vi.fn();
  const app = server({ observer: { completed, watch: () => {} } });
  onTestFinished(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const response = await app.inject({ method: 'DELETE', url: '/plants/7/seeds.json', headers });
  expect([response.statusCode, response.headers['allow']]).toEqual([405, 'GET, HEAD']);
  await (await fetch(`${url}/plants/7/seeds.json`, { headers })).text();
  await vi.waitFor(() =>
    expect(completed).toHaveBeenCalledWith('GET', '/plants/{id}/seeds.json', 200, expect.any(Number)),
  );
});

test('the description has the parameters and the errors', async () => {
  const { paths } = (await server().inject('/openapi.json')).json();
  const { parameters, responses } = paths['/plants/{id}/seeds.json'].get;
  const described = parameters.map((each: { in: string; name: string; required: boolean }) => [
    each.in,
    each.name,
    each.required,
  ]);
  expect(described).toEqual(
    expect.arrayContaining([
      ['path', 'id', true],
      ['query', 'after', false],
    ]),
  );
  expect(described).toHaveLength(3);
  expect(responses['400'].description).toContain('40099');
});
