import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { openApiDocument } from '../../src/openapi/document.ts';
import { operations } from '../../src/operations/operations.ts';
import { plantServer } from '../plant-server.ts';

const app = plantServer();

test.each([
  ['/openapi.json', (text: string): unknown => JSON.parse(text)],
  ['/openapi.yaml', (text: string): unknown => parse(text)],
] as const)('%s is the description, which is sent only to clients that do not have it', async (url, read) => {
  const whole = await app.inject(url);
  const { etag = '', 'content-length': length } = whole.headers;
  expect(whole.headers['cache-control']).toBe('no-cache');
  expect(read(whole.payload)).toEqual(JSON.parse(JSON.stringify(openApiDocument(operations))));
  for (const [condition, status] of [
    ['"another"', 200],
    [etag, 304],
    [`"another", ${etag}`, 304],
  ] as const) {
    for (const method of ['GET', 'HEAD'] as const) {
      const sent = await app.inject({ method, url, headers: { 'if-none-match': condition } });
      expect([sent.statusCode, sent.headers.etag]).toEqual([status, etag]);
      expect(sent.headers['content-length']).toBe(status === 200 ? length : undefined);
      expect(sent.payload).toBe(status === 200 && method === 'GET' ? whole.payload : '');
    }
  }
});

test('the YAML is for reading: it has no aliases', async () => {
  expect((await app.inject('/openapi.yaml')).payload).not.toMatch(/: [&*]a\d/);
});
