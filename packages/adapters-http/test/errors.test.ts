import { type DeployedService, errorNumbers } from '@plant-store/contracts-http';
import { readDescription } from '@plant-store/contracts-http/wire';
import { describe, expect, test, vi } from 'vitest';
import { errorCatalogue } from '../src/index.ts';
import { causes, close, failing } from './error-causes.ts';
import { type PlantServerOptions, plantServer } from './plant-server.ts';
import { patient, post, serve } from './serve.ts';

/** Their messages name what is wrong with the request. */
const particular = ['malformed-json', 'not-a-new-plant', 'unsupported-media-type'];

test.concurrent.for(errorCatalogue.filter(({ name }) => causes[name]).map((kind) => [kind.name, kind] as const))(
  '%s is what a client gets, as it is described; the reason is in the log alone',
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

test('the numbers are those of the contract', () => {
  const numbers = Object.fromEntries(errorCatalogue.map(({ name, error }) => [name, error]));
  expect(numbers).toMatchObject(errorNumbers);
  expect(new Set(Object.values(numbers)).size).toBe(Object.keys(numbers).length);
});

const headers = { authorization: 'Bearer sesame', 'content-type': 'application/json' };
async function create(payload: string, options: PlantServerOptions = {}, changed = {}) {
  const response = await plantServer(options).inject({
    method: 'POST',
    url: '/plants',
    headers: { ...headers, ...changed },
    payload,
  });
  return [response.json().error, response.json().message];
}

const text = 'a string of well-formed Unicode without U+0000';
test.each([
  ['{}', 'id is missing; name is missing'],
  [
    '{"id":"7","name":null,"tag":1}',
    `id must be an integer without quotes, from -9223372036854775808 to 9223372036854775807; name must be ${text}; tag must be ${text}, or absent`,
  ],
  [
    '{"id":7.5,"name":"\\ud83d"}',
    `id must be an integer without quotes, from -9223372036854775808 to 9223372036854775807; name must be ${text}`,
  ],
  ['[]', 'the body must be a JSON object with id and name'],
])('of %s the client is told: %s', async (payload, message) => {
  expect(await create(payload)).toEqual([40002, message]);
});

test.each([
  ['application/json; charset=utf8; version=1', undefined],
  ['application/json;odata.metadata=minimal', undefined],
  ['application/json; charset=iso-8859-1', 'the charset of Content-Type must be utf-8, and the body in UTF-8'],
  ['application/json; version=1; charset="utf-16"', 'the charset of Content-Type must be utf-8, and the body in UTF-8'],
  ['text/plain', 'Content-Type must be application/json, with or without parameters (RFC 9110, section 8.3.1)'],
])('a body of the media type %s is refused because %s', async (type, message) => {
  expect(await create('{"id":7,"name":"n"}', {}, { 'content-type': type })).toEqual([message && 40003, message]);
});

test.each(['token-of-the-tests', 'Basic dTpw'])(
  'of the authorization %s the client is told the scheme',
  async (authorization) => {
    const scheme = 'Authorization must be Bearer, a space and the token';
    expect(await create('{}', {}, { authorization })).toEqual([40101, scheme]);
  },
);

describe('any other error is a 500 that says nothing about it', () => {
  test.each([
    new TypeError('secret_table is not iterable'),
    'a string',
    undefined,
    { statusCode: 418, message: 'secret_table' },
    Object.assign(new Error('secret_table'), { code: 'ECONNRESET' }),
    Object.assign(new Error('secret_table'), { code: 'FST_ERR_OF_A_PLUGIN', statusCode: 500 }),
  ])('%o', async (thrown) => {
    const { lines, received } = await serve(failing(thrown));
    expect(await received(post(undefined, close))).toMatch(/^HTTP\/1.1 500 (?!.*secret_table)/s);
    await vi.waitFor(
      () => expect(lines).toMatchObject([{ level: 50, msg: 'internal error' }, { status: 500 }]),
      patient,
    );
  });
});
