import { expect, test } from 'vitest';
import { createEdge, type ErrorCatalogue, fromFastify, HttpError, sendJson } from '../src/index.ts';

// Numbers of its own, and a kind that no edge knows.
const catalogue: ErrorCatalogue = Object.fromEntries(
  Object.entries({
    'body-too-large': 41_307,
    'internal-error': 50_007,
    'malformed-http': 40_007,
    'method-not-allowed': 40_507,
    'no-such-path': 40_407,
    overloaded: 50_307,
    'request-timeout': 40_807,
    'unsupported-media-type': 41_507,
    'not-a-list': 42_207,
  }).map(([kind, error]) => [kind, { error, meaning: kind }]),
) as ErrorCatalogue;

/** A service that has nothing to do with plants: it adds numbers. */
function serve() {
  const { app, bodies } = createEdge({
    catalogue,
    toHttpError: (error) => (error instanceof HttpError ? error : fromFastify(error)),
    bodyLimit: 20,
  });
  bodies.readWith(app, (bytes) => {
    const list: unknown = JSON.parse(bytes.toString());
    if (Array.isArray(list)) return list;
    throw new HttpError(list === null ? 'no-such-kind' : 'not-a-list', 'send a list');
  });
  app.post('/sums', async ({ body }, reply) => {
    const sum = (body as number[]).reduce((total, each) => total + each, 0);
    return sendJson(reply, String(sum));
  });
  return app;
}

test.each([
  ['POST', '/sums', '[1,2]', 200, 3],
  ['POST', '/sums', '7', 422, { error: 42_207, message: 'send a list' }],
  ['POST', '/sums', 'null', 500, { error: 50_007, message: 'send a list' }],
  ['POST', '/sums', `[${'1,'.repeat(20)}1]`, 413, { error: 41_307 }],
  ['POST', '/else', '[]', 404, { error: 40_407 }],
  ['PUT', '/sums', '[]', 405, { error: 40_507 }],
] as const)('%s %s with %s gets %i, with the numbers of the service', async (method, url, payload, status, body) => {
  const headers = { 'content-type': 'application/json' };
  const response = await serve().inject({ method, url, headers, payload });
  expect(response.statusCode).toBe(status);
  if (typeof body === 'number') expect(response.json()).toBe(body);
  else expect(response.json()).toMatchObject(body);
});
