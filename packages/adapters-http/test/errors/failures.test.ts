import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createAdminServer, errorCatalogue } from '../../src/index.ts';
import { type PlantServerOptions, plantServer } from '../plant-server.ts';

const body = '{"id":7654321,"name":"Fern"}';

/** Creates plants, and says what the responses and the log are. */
async function create(options: PlantServerOptions = {}, ...payloads: readonly string[]) {
  const lines: Record<string, unknown>[] = [];
  const app = plantServer({ logger: pino({}, { write: (line) => void lines.push(JSON.parse(line)) }), ...options });
  const headers = { authorization: 'Bearer sesame', 'content-type': 'application/json' };
  const responses = [];
  for (const payload of payloads.length > 0 ? payloads : [body])
    responses.push(await app.inject({ method: 'POST', url: '/plants', headers, payload }));
  return { responses: responses.map((each) => ({ ...each, headers: each.headers, record: each.json() })), lines };
}

const failing = (error: unknown): PlantServerOptions => ({ useCases: { createPlant: () => Promise.reject(error) } });
test.each([
  new TypeError('secret_table is not iterable'),
  'a string',
  undefined,
  { statusCode: 418, message: 'secret_table' },
])('any other error (%o) is a 500 that says nothing about it', async (thrown) => {
  const { responses, lines } = await create(failing(thrown));
  const message = expect.not.stringContaining('secret_table');
  expect(responses).toMatchObject([{ statusCode: 500, record: { error: 50001, message } }]);
  expect(lines).toMatchObject([{ level: 50 }, { status: 500 }]);
});

test('a plant is logged with neither token nor body, whether it is created or not', async () => {
  const { lines } = await create({}, body, body.replace('Fern', 'Moss'));
  expect(lines).toMatchObject([{ status: 200 }, { status: 400, error: 40005, reason: 'another plant has the id' }]);
  expect(JSON.stringify(lines)).not.toMatch(/sesame|Fern|Moss|7654321/);
});

test('a tab after Bearer is no token', async () => {
  const headers = { authorization: 'Bearer\tsesame', 'content-type': 'application/json' };
  const { statusCode } = await plantServer().inject({ method: 'POST', url: '/plants', headers, payload: body });
  expect(statusCode).toBe(401);
});

test('every error number is unique, and the admin listener has the same', async () => {
  const numbers = Object.values(errorCatalogue).map(({ error }) => error);
  expect(new Set(numbers).size).toBe(numbers.length);
  const admin = createAdminServer({ ready: async () => {}, metrics: async () => '' });
  expect((await admin.inject('/')).json()).toEqual({ error: 40401, message: 'path not found' });
});
