import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openApiDocument } from '../../src/openapi/document.ts';
import { operations } from '../../src/operations/operations.ts';
import { plantServer } from '../plant-server.ts';

const app = plantServer({ tokens: { verify: async () => ({ accepted: false }) } });

describe.each([
  ['/openapi.json', 'application/json', (text: string): unknown => JSON.parse(text)],
  ['/openapi.yaml', 'application/yaml', (text: string): unknown => parse(text)],
] as const)('%s', (url, mediaType, read) => {
  test(`is the description as ${mediaType}, without a token`, async () => {
    const { statusCode, headers, payload } = await app.inject(url);
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([200, mediaType, 'no-cache']);
    expect(read(payload)).toEqual(JSON.parse(JSON.stringify(openApiDocument(operations))));
  });

  test.each(['GET', 'HEAD'] as const)('is sent by %s only to clients that do not have it', async (method) => {
    const whole = await app.inject(url);
    const { etag = '', 'content-length': length } = whole.headers;
    for (const [condition, status] of [
      [undefined, 200],
      ['"another"', 200],
      [etag, 304],
      [`"another", ${etag}`, 304],
    ] as const) {
      const sent = await app.inject({ method, url, ...(condition ? { headers: { 'if-none-match': condition } } : {}) });
      expect([sent.statusCode, sent.headers.etag]).toEqual([status, etag]);
      expect(sent.headers['content-length']).toBe(status === 200 ? length : undefined);
      expect(sent.payload).toBe(status === 200 && method === 'GET' ? whole.payload : '');
    }
  });

  test('allows no other method', async () => {
    const { statusCode, headers } = await app.inject({ method: 'POST', url });
    expect([statusCode, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

test('the YAML is for reading: it has no aliases', async () => {
  expect((await app.inject('/openapi.yaml')).payload).not.toMatch(/: [&*]a\d/);
});
