import { expect, test } from 'vitest';
import { HttpError } from '../src/index.ts';
import { echoServer } from './echo-server.ts';

const headers = { authorization: 'me', 'content-type': 'application/json' };

test.each([
  ['POST', '/echo', 'Fern', 200, 'Fern'],
  ['POST', '/echo', '', 422, { error: 42_207, message: 'send a text' }],
  ['POST', '/echo', 'unknown', 500, { error: 50_007, message: 'no such kind' }],
  ['POST', '/echo', 'a'.repeat(21), 413, { error: 41_307, message: expect.any(String) }],
  ['POST', '/else', '', 404, { error: 40_407, message: 'path not found' }],
  ['PUT', '/echo', '', 405, { error: 40_507, message: 'method not allowed; use POST' }],
  // A route of its own has the body limit, and its error.
  ['POST', '/own', '{"name":"Fern"}', 200, { name: 'Fern' }],
  ['POST', '/own', '{"name":"Bracken Fern"}', 413, { error: 41_307, message: expect.any(String) }],
] as const)('%s %s with %s gets %i, with the numbers of the service', async (method, url, payload, status, body) => {
  const work = async (text: string) => {
    if (text === 'unknown') throw new HttpError('no-such-kind', 'no such kind');
    return text;
  };
  const app = echoServer({ bodyLimit: 20, work });
  app.post('/own', async (request) => request.body);
  const response = await app.inject({ method, url, headers, payload });
  expect([response.statusCode, response.json()]).toEqual([status, body]);
});

test('a route with a schema says what it needs, or has it', async () => {
  const withRoute = async (route: object) => {
    const app = echoServer();
    app.route({ method: 'GET', url: '/own', schema: { querystring: {} }, handler: async () => 'own', ...route });
    return app.inject('/own');
  };
  await expect(withRoute({})).rejects.toThrow('give the route a validatorCompiler and a serializerCompiler');
  const own = { validatorCompiler: () => () => true, serializerCompiler: () => String };
  expect((await withRoute(own)).body).toBe('own');
});
