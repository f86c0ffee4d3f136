import { Readable } from 'node:stream';
import type { CreatePlant } from '@plant-store/domain';
import type { LogRequest, RequestObserver } from '@plant-store/http-edge';
import { expect, test, vi } from 'vitest';
import { plantServer } from './plant-server.ts';

test("Fastify's inject works, and its requests release their places", async () => {
  const app = plantServer({
    maxRequestsInFlight: 1,
  });
  for (const requestId of ['first', 'second']) {
    const response = await app.inject({
      method: 'POST',
      url: '/plants',
      headers: { authorization: 'Bearer me', 'content-type': 'application/json', 'x-request-id': requestId },
      payload: '{"id":1,"name":"Fern"}',
    });
    expect([response.statusCode, response.json()]).toEqual([200, { name: 'Fern' }]);
    expect(response.headers['x-request-id']).toBe(requestId);
  }
  expect((await app.inject('/%zz')).json()).toMatchObject({ error: 40006 });
});

test("inject's requests are logged and counted as completed", async () => {
  const logRequest = vi.fn<LogRequest>();
  const completed = vi.fn<RequestObserver['completed']>();
  const app = plantServer({
    logRequest,
    observer: { completed, watch() {} },
  });
  const headers = { authorization: 'Bearer me', 'content-type': 'application/json' };
  await app.inject({ method: 'POST', url: '/plants', headers, payload: '{"id":1,"name":"Fern"}' });
  await app.inject({ method: 'POST', url: '/plants' });
  await app.inject('/%zz');
  expect(logRequest.mock.calls.map(([{ status, error }]) => [status, error])).toEqual([
    [200, undefined],
    [401, 40101],
    [400, 40006],
  ]);
  expect(completed.mock.calls.map(([method, route, status]) => [method, route, status])).toEqual([
    ['POST', '/plants', 200],
    ['POST', '/plants', 401],
    ['GET', undefined, 400],
  ]);
});

test('a preParsing hook may put another stream in the place of the request', async () => {
  const createPlant = vi.fn<CreatePlant>(async ({ id, ...plant }) => ({ outcome: 'created', plant }));
  const app = plantServer({ useCases: { createPlant } });
  app.addHook('preParsing', async () => Readable.from(['{"id":1,', '"name":"Moss"}']));
  const headers = { authorization: 'Bearer me', 'content-type': 'application/json' };
  const response = await app.inject({ method: 'POST', url: '/plants', headers, payload: '{"id":1,"name":"Fern"}' });
  expect(response.json()).toEqual({ name: 'Moss' });
});

test('a route of its own has the body limit, and its error', async () => {
  const app = plantServer({
    bodyLimit: 1_000,
  });
  app.post('/own', async ({ body }) => body);
  const post = async (name: string) => (await app.inject({ method: 'POST', url: '/own', payload: { name } })).json();
  expect(await post('Fern')).toEqual({ name: 'Fern' });
  expect(await post('a'.repeat(1_000))).toMatchObject({ error: 40004 });
});

test('a route with a schema says what it needs, or has it', async () => {
  const withRoute = async (route: object) => {
    const app = plantServer({});
    app.route({ method: 'GET', url: '/own', schema: { querystring: {} }, handler: async () => 'own', ...route });
    return app.inject('/own');
  };
  await expect(withRoute({})).rejects.toThrow('give the route a validatorCompiler and a serializerCompiler');
  const own = { validatorCompiler: () => () => true, serializerCompiler: () => String };
  expect((await withRoute(own)).body).toBe('own');
});
