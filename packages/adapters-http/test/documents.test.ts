import { expect, test } from 'vitest';
import { plantServer } from './plant-server.ts';

const app = plantServer({ tokens: { verify: async () => ({ accepted: false }) }, docs: { tokenHint: 'Ask.' } });

test.each([
  ['/', 'application/json'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs?whatever', 'text/html; charset=utf-8'],
  ['/openapi.json', 'application/json'],
  ['/openapi.yaml', 'application/yaml'],
])('%s needs no token, and allows GET and HEAD alone', async (url, mediaType) => {
  const [get, head] = [await app.inject(url), await app.inject({ method: 'HEAD', url })];
  expect([get.statusCode, get.headers['content-type']]).toEqual([200, mediaType]);
  expect([head.statusCode, head.headers['content-type'], head.payload]).toEqual([200, mediaType, '']);
  const post = await app.inject({ method: 'POST', url });
  expect([post.statusCode, post.headers['allow'], post.json().error]).toEqual([405, 'GET, HEAD', 40501]);
});

test('the description refers a browser to the page', async () => {
  const { externalDocs } = (await app.inject('/openapi.json')).json();
  const url = new URL(externalDocs.url, 'http://host/openapi.json').pathname;
  const { statusCode, headers } = await app.inject({ url, headers: { accept: 'text/html' } });
  expect([statusCode, headers['location']]).toEqual([302, './docs']);
});
