import { expect, test } from 'vitest';
import { createHttpServer } from '../src/index.ts';

test("Fastify's inject works, and its requests release their places", async () => {
  const app = createHttpServer({
    createPlant: async () => ({ outcome: 'created', plant: { name: 'Fern' } }),
    tokens: { verify: async (subject) => ({ accepted: true, subject }) },
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

test('a route with a schema says what it needs, or has it', async () => {
  const withRoute = async (route: object) => {
    const app = createHttpServer({
      createPlant: async () => ({ outcome: 'created', plant: { name: 'Fern' } }),
      tokens: { verify: async (subject) => ({ accepted: true, subject }) },
    });
    app.route({ method: 'GET', url: '/own', schema: { querystring: {} }, handler: async () => 'own', ...route });
    return app.inject('/own');
  };
  await expect(withRoute({})).rejects.toThrow('give the route a validatorCompiler and a serializerCompiler');
  const own = { validatorCompiler: () => () => true, serializerCompiler: () => String };
  expect((await withRoute(own)).body).toBe('own');
});
