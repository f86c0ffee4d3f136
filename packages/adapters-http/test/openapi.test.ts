import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { plantServer } from './plant-server.ts';

const app = plantServer({ docs: true });
const published = (await app.inject('/openapi.json')).json();

test('openapi.json is up to date', () => {
  const committed = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
  expect(committed, 'run `npx pnpm@12 --filter @plant-store/adapters-http openapi` and commit openapi.json').toEqual(
    published,
  );
});

test.each([
  ['/', 'application/json'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/static/index.css', 'text/css; charset=utf-8'],
  ['/openapi.yaml', 'application/yaml'],
])('%s needs no token, and allows GET and HEAD alone', async (url, mediaType) => {
  const [get, head] = [await app.inject(url), await app.inject({ method: 'HEAD', url })];
  expect([get.statusCode, get.headers['content-type']]).toEqual([200, mediaType]);
  expect([head.statusCode, head.headers['content-type'], head.payload]).toEqual([200, mediaType, '']);
  const post = await app.inject({ method: 'POST', url });
  expect([post.statusCode, post.headers['allow'], post.json().error]).toEqual([405, 'GET, HEAD', 40501]);
});

test('the addresses at / lead to the description, and to the page where there is one', async () => {
  const addresses = (await app.inject('/')).json();
  const conditions = { 'if-match': '"x"', 'if-unmodified-since': new Date(0).toUTCString(), range: 'bytes=9999999-' };
  expect(await app.inject({ url: '/docs/static/index.css', headers: conditions })).toMatchObject({ statusCode: 200 });
  expect(addresses).toEqual({ plants: './plants', openapi: './openapi.json', docs: './docs' });
  const without = plantServer();
  expect((await without.inject('/')).json()).not.toHaveProperty('docs');
  expect((await without.inject('/docs')).statusCode).toBe(404);
});

test('an operation that the store lacks is neither served nor described, and the log names it', async () => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => void lines.push(line) });
  // As `useCases(store)` leaves it out where an older adapter lacks its port. Of today's ports none is optional.
  const withoutPort = plantServer({ logger, useCases: { createPlant: undefined as never } });
  const response = await withoutPort.inject({ method: 'POST', url: '/plants', headers: { authorization: 'Bearer x' } });
  expect([40401, 40501]).toContain(response.json().error);
  expect((await withoutPort.inject('/openapi.json')).json().paths['/plants']?.post).toBeUndefined();
  expect(lines.join()).toContain('createPlant (POST /plants) is not served, because the store lacks the port');
});
