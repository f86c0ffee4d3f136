import { expect, test } from 'vitest';
import { plantServer } from '../plant-server.ts';

const app = plantServer({ docs: { tokenHint: 'A token from <the operator>.' } });
const page = await app.inject('/docs');
const addresses = [...page.payload.matchAll(/<(?:link rel="stylesheet" href|script type="module" src)="([^"]+)"/g)].map(
  ([, address = '']) => address,
);

test('its Content-Security-Policy allows its own origin only, and nothing inline', () => {
  const { 'content-security-policy': policy = '', ...headers } = page.headers;
  expect(String(policy).split('; ')).toEqual(
    expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]),
  );
  expect(policy).not.toMatch(/unsafe|http|\*/);
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' });
  const html = page.payload;
  expect(html).not.toMatch(/<style|<script(?! type="module" src=)| style=| on[a-z]+=/);
  expect(addresses).toHaveLength(2);
  expect(html).toContain('A token from &#60;the operator&#62;.');
  expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/\b\w+:?\/\//);
});

test('its files have relative URLs and may be cached for ever, since their paths contain a hash', async () => {
  const script = addresses.find((address) => address.endsWith('.js')) ?? '';
  for (const address of [...addresses, script.replace('docs.js', 'code-snippets.js')]) {
    expect(address).toMatch(/^docs\/[0-9a-f]{16}\/[a-z-]+\.(css|js)$/);
    const { statusCode, headers, rawPayload } = await app.inject(`/${address}`);
    expect([statusCode, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(headers['content-type']).toBe(`text/${address.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`);
    expect(Number(headers['content-length'])).toBe(rawPayload.length);
  }
});

test.each(['/docs/', '/docs/x', '/docs/docs.js', '/docs/..%2f..%2fpackage.json', '/DOCS'])(
  '%s is not found, nor is /docs of a service without the page',
  async (url) => {
    for (const found of [await app.inject(url), await plantServer().inject('/docs')])
      expect([found.statusCode, found.json()]).toMatchObject([404, { error: 40401 }]);
  },
);
