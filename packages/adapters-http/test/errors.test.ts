import { type DeployedService, errorNumbers } from '@plant-store/contracts-http';
import { readDescription } from '@plant-store/contracts-http/wire';
import { PlantRefused, StoreOverloaded, StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';
import { expect, test, vi } from 'vitest';
import { errorCatalogue } from '../src/index.ts';
import { type PlantServerOptions, patient, post, serve, writeRequest } from './serve.ts';

/** Makes the use case throw. */
const failing = (error: unknown): PlantServerOptions => ({
  useCases: { createPlant: () => Promise.reject(error) },
});
const close = { Connection: 'close' };
const refused = new PlantRefused('violates check constraint "small"', { cause: new Error('the row') });
const noKeys = { verify: () => Promise.reject(new VerifierUnavailable('no keys')) };
const noToken = { verify: async () => ({ accepted: false, reason: 'JWT: expired' }) as const };

/**
 * How a client gets an error: bytes that it sends, what the service is made of, and a reason that only the log has.
 */
const causes: Readonly<Record<string, readonly [sent: string, options?: PlantServerOptions, reason?: string]>> = {
  'malformed-json': [post('{"id":7,x', close)],
  'not-a-new-plant': [post('{"name":7}', close)],
  'unsupported-media-type': [post('{}', { 'Content-Type': 'text/plain', ...close })],
  'body-too-large': [post('{}', { ...close }), { bodyLimit: 1 }],
  'id-taken': [post() + post('{"id":7,"name":"Moss"}', close)],
  'malformed-http': [
    'NONSENSE\r\n\r\n',
    {},
    'the request is not well-formed HTTP/1.1, or is ambiguous (HPE_INVALID_METHOD)',
  ],
  'request-timeout': ['POST /plants HTTP/1.1\r\n', { headersTimeout: 1_000 }],
  'plant-refused': [post('{"id":7,"name":"n"}', close), failing(refused), refused.message],
  'missing-token': [post('{}', { Authorization: undefined, ...close })],
  'token-not-accepted': [post('{}', close), { tokens: noToken }, 'JWT: expired'],
  'no-such-path': [writeRequest('GET /nothing HTTP/1.1', '', close)],
  'method-not-allowed': [writeRequest('PUT /plants HTTP/1.1', '', close)],
  'too-many-requests': [post('{}', close), { requestsPerSecond: 0 }],
  'internal-error': [post(undefined, close), failing(new TypeError('defect'))],
  'store-unavailable': [post(undefined, close), failing(new StoreUnavailable('connect /run/db')), 'connect /run/db'],
  overloaded: [post(undefined, close), failing(new StoreOverloaded('2000 adds wait')), '2000 adds wait'],
  'token-check-unavailable': [post(undefined, close), { tokens: noKeys }, 'no keys'],
};

/** Their messages name what is wrong with the request. */
const particular = ['malformed-json', 'not-a-new-plant'];

// Errors of further operations are those of their clauses.
test.concurrent.for(errorCatalogue.filter(({ name }) => name in causes).map((kind) => [kind.name, kind] as const))(
  'P4/F8 P7/F8 %s is what a client gets, as it is described; the reason is in the log alone',
  async ([kind, { error, meaning }], { expect }) => {
    const [sent, options, reason] = causes[kind] ?? expect.unreachable();
    const { url, lines, received } = await serve(options);
    const all = await received(sent);
    const response = all.slice(all.lastIndexOf('HTTP/1.1 '));
    const status = String(error).slice(0, 3);
    expect(response).toContain(`HTTP/1.1 ${status} `);
    expect(response).toMatch(/\r\ncontent-type: application\/json\r\n/i);
    expect(response).toMatch(/\r\nx-content-type-options: nosniff\r\n/i);
    if (status === '503' || status === '429') expect(response).toMatch(/\r\nretry-after: 1\r\n/i);
    const record = JSON.parse(response.slice(response.indexOf('\r\n\r\n')));
    const description = await readDescription({ baseUrl: url } as DeployedService);
    const described = ['paths', '/plants', 'post', 'responses', status];
    expect(description.at(...described, 'description')).toContain(`- ${error}: ${meaning}`);
    const value = { error, message: particular.includes(kind) ? expect.any(String) : record.message };
    const example = [...described, 'content', 'application/json', 'examples', kind];
    expect([description.at(...example, 'summary'), description.at(...example, 'value')]).toEqual([meaning, value]);
    expect(record).toEqual({ error, message: expect.any(String) });
    const level = error > 50_100 ? 40 : 30;
    const line = { level, status: Number(status), error, ...(reason ? { reason } : {}) };
    await vi.waitFor(() => expect(lines).toContainEqual(expect.objectContaining(line)), patient);
    if (reason && kind !== 'malformed-http') expect(response).not.toContain(reason);
    expect(JSON.stringify(lines)).not.toMatch(/the row|sesame/);
  },
);

test('the numbers are those of the contract, each has one kind, and all of them are caused above', () => {
  expect(Object.keys(causes)).toEqual(expect.arrayContaining(Object.keys(errorNumbers)));
  const numbers = Object.fromEntries(errorCatalogue.map(({ name, error }) => [name, error]));
  expect(numbers).toMatchObject(errorNumbers);
  expect(new Set(Object.values(numbers)).size).toBe(Object.keys(numbers).length);
});

test.each([
  failing(new TypeError('secret_table is not iterable')),
  failing(undefined),
  failing({ statusCode: 418, message: 'secret_table' }),
  failing(Object.assign(new Error('secret_table'), { code: 'FST_ERR_OF_A_PLUGIN', statusCode: 500 })),
  { tokens: { verify: () => Promise.reject(undefined) } },
  { tokens: { verify: () => Promise.reject('secret_table') } },
])('P7/F8 any other error is a 500 that says nothing about it, and lets nobody in: %o', async (options) => {
  const { lines, received } = await serve(options);
  expect(await received(post(undefined, close))).toMatch(/^HTTP\/1.1 500 (?!.*secret_table)/s);
  await vi.waitFor(() => expect(lines).toMatchObject([{ level: 50, msg: 'internal error' }, { status: 500 }]), patient);
});
