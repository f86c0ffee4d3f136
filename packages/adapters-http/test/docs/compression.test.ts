import { statSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { compressedOnce, representation } from '@plant-store/http-edge';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plantServer } from '../plant-server.ts';

const app = plantServer({
  tokens: { verify: async () => ({ accepted: false }) },
  docs: true,
  closeTimeout: 1,
});
const sizeOfScript = String(statSync(fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'))).size);
let addresses: readonly string[];

beforeAll(async () => {
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const html = await (await fetch(`${url}/docs`)).text();
  addresses = [...html.matchAll(/"docs\/[^"]+"/g)].map(([quoted]) => `${url}/${quoted.slice(1, -1)}`);
});
afterAll(() => app.close());

test('every file of the page is sent compressed if the client accepts gzip, with the same content', async () => {
  expect(addresses).toHaveLength(7);
  for (const address of addresses) {
    const identity = await get(address);
    const compressed = await get(address, { 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect([compressed.status, compressed.headers['content-encoding']]).toEqual([200, 'gzip']);
    expect(gunzipSync(compressed.content).equals(identity.content)).toBe(true);
    expect(compressed.headers['content-length']).toBe(String(compressed.content.length));
    expect(compressed.content.length).toBeLessThan(0.7 * identity.content.length);
    expect(compressed.headers['content-type']).toBe(identity.headers['content-type']);
    expect(compressed.headers['cache-control']).toBe(identity.headers['cache-control']);
  }
});

test('a file is compressed once, for any number of requests at once', async () => {
  const choose = compressedOnce(representation('text/plain', Buffer.from('fern '.repeat(1_000))));
  const asking = { headers: { 'accept-encoding': 'gzip' } } as FastifyRequest;
  const [first, second] = await Promise.all([choose(asking), choose(asking)]);
  expect(second.content).toBe(first.content);
  expect((await choose(asking)).content).toBe(first.content);
});

describe('gzip is sent', () => {
  test.each([
    'gzip',
    'GZIP',
    '*',
    'gzip;q=0.5',
    'br, gzip;q=0.1',
    'identity;q=0.5, gzip;q=0.6',
    'identity;q=0, *',
    'gzip, identity',
  ])('for Accept-Encoding: %s', async (accepted) => {
    expect((await head(script(), { 'accept-encoding': accepted })).headers['content-encoding']).toBe('gzip');
  });
});

describe('the file is sent uncompressed', () => {
  test.each([
    undefined,
    '',
    'identity',
    'br',
    'not-gzip',
    'gzip;q=0',
    'gzip; Q=0.000',
    'gzip;q=0, *',
    '*;q=0',
    'identity, gzip;q=0.5',
    'identity;q=0',
    ';;"',
  ])('for Accept-Encoding: %s', async (accepted) => {
    const { status, headers } = await head(script(), accepted === undefined ? {} : { 'accept-encoding': accepted });
    expect([status, headers['content-encoding'], headers['content-length']]).toEqual([200, undefined, sizeOfScript]);
  });
});

test('both have Vary: Accept-Encoding, and different strong entity tags', async () => {
  const [identity, gzip] = [await get(script()), await get(script(), { 'accept-encoding': 'gzip' })];
  for (const { headers } of [identity, gzip]) {
    expect(headers.vary).toBe('accept-encoding');
    expect(headers.etag).toMatch(/^"[\w-]{43}"$/);
  }
  expect(gzip.headers.etag).not.toBe(identity.headers.etag);
});

describe.each(['gzip', 'identity'])('as %s', (coding) => {
  const accepting = { 'accept-encoding': coding };

  test('HEAD has the headers of GET, without the content', async () => {
    const got = await get(script(), accepting);
    const asked = await head(script(), accepting);
    expect([asked.status, asked.content.length]).toEqual([200, 0]);
    expect(stable(asked.headers)).toEqual(stable(got.headers));
  });

  test.each(['GET', 'HEAD'])('%s gets 304 if the client has it, even among others', async (method) => {
    const { headers } = await head(script(), accepting);
    const { etag = '', vary, 'cache-control': cacheControl } = headers;
    for (const condition of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
      const response = await ask(method, script(), { ...accepting, 'if-none-match': condition });
      expect([condition, response.status, response.content.length]).toEqual([condition, 304, 0]);
      expect(response.headers).toMatchObject({ etag, vary, 'cache-control': cacheControl });
      for (const name of ['content-encoding', 'content-length', 'content-type'] as const) {
        expect(response.headers[name]).toBeUndefined();
      }
    }
  });

  test('a client that has only the other one gets it', async () => {
    const other = await head(script(), { 'accept-encoding': coding === 'gzip' ? 'identity' : 'gzip' });
    const response = await head(script(), { ...accepting, 'if-none-match': other.headers.etag });
    expect([response.status, response.headers['content-encoding']]).toEqual([
      200,
      coding === 'gzip' ? 'gzip' : undefined,
    ]);
  });
});

function script(): string {
  return addresses.find((address) => address.includes('swagger-ui') && address.endsWith('.js')) ?? '';
}

interface HttpResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** As it came, not decoded. */
  readonly content: Buffer;
}

function get(address: string, headers: IncomingHttpHeaders = {}): Promise<HttpResponse> {
  return ask('GET', address, headers);
}

function head(address: string, headers: IncomingHttpHeaders = {}): Promise<HttpResponse> {
  return ask('HEAD', address, headers);
}

async function ask(method: string, address: string, headers: IncomingHttpHeaders): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    request(address, { method, headers, agent: false }, async (response) => {
      resolve({ status: response.statusCode, headers: response.headers, content: await buffer(response) });
    })
      .on('error', reject)
      .end();
  });
}

function stable({ date: _date, 'x-request-id': _id, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers;
}
