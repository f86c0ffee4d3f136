import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openApiDocument } from '../../src/openapi/document.ts';
import { operations } from '../../src/operations/operations.ts';
import { plantServer } from '../plant-server.ts';

const addresses = [
  ['/openapi.json', 'application/json', (text: string): unknown => JSON.parse(text)],
  ['/openapi.yaml', 'application/yaml', (text: string): unknown => parse(text)],
] as const;

let origin: string;
beforeAll(async () => {
  const app = plantServer({
    tokens: { verify: async () => ({ accepted: false }) },
  });
  origin = await app.listen({ host: '127.0.0.1', port: 0 });
  return () => app.close();
});

describe.each(addresses)('%s', (path, mediaType, read) => {
  test(`is the description as ${mediaType}, without a token`, async () => {
    const response = await fetch(origin + path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, mediaType]);
    expect(read(await response.text())).toEqual(JSON.parse(JSON.stringify(openApiDocument(operations))));
  });

  test('is sent again only to clients that do not have it', async () => {
    const url = origin + path;
    const { headers } = await fetch(url);
    expect(headers.get('cache-control')).toBe('no-cache');
    const tag = headers.get('etag') ?? '';
    const again = await fetch(url, { headers: { 'if-none-match': tag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
    expect(again.headers.has('content-length')).toBe(false);
    const oneOfThem = await fetch(url, { headers: { 'if-none-match': `"another", ${tag}` } });
    expect(oneOfThem.status).toBe(304);
    const other = await fetch(url, { headers: { 'if-none-match': '"another"' } });
    expect(other.status).toBe(200);
  });

  test('allows HEAD, and no other method', async () => {
    const url = origin + path;
    const head = await fetch(url, { method: 'HEAD' });
    const { headers } = await fetch(url);
    expect([head.status, head.headers.get('content-length')]).toEqual([200, headers.get('content-length')]);
    const known = { 'if-none-match': headers.get('etag') ?? '' };
    const again = await fetch(url, { method: 'HEAD', headers: known });
    expect([again.status, again.headers.has('content-length')]).toEqual([304, false]);
    const post = await fetch(url, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

test('the YAML is for reading: it has no aliases', async () => {
  const yaml = await (await fetch(`${origin}/openapi.yaml`)).text();
  expect(yaml).not.toMatch(/: [&*]a\d/);
});
