import { expect, onTestFinished, test } from 'vitest';
import { type PlantServerOptions, plantServer } from '../plant-server.ts';

const docs = { tokenHint: 'A token from <the operator>.' };

test('the page requires no token', async () => {
  const { url } = await serve({ docs });
  const page = await fetch(`${url}/docs?whatever`);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('cache-control')).toBe('no-cache');
});

test('its Content-Security-Policy allows its own origin only, and nothing inline', async () => {
  const { url } = await serve({ docs });
  const page = await fetch(`${url}/docs`);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]),
  );
  expect(policy).not.toMatch(/unsafe|http|\*/);
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  const html = await page.text();
  expect(html).not.toMatch(/<style|<script(?! type="module" src=)| style=| on[a-z]+=/);
  expect(addressesIn(html)).toHaveLength(2);
  expect(html).toContain('A token from &#60;the operator&#62;.');
  expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/\b\w+:?\/\//);
});

test('its files have relative URLs and may be cached for ever, since their paths contain a hash', async () => {
  const { url } = await serve({ docs });
  const html = await (await fetch(`${url}/docs`)).text();
  const addresses = addressesIn(html);
  const script = addresses.find((address) => address.endsWith('.js')) ?? '';
  for (const address of [...addresses, script.replace('docs.js', 'code-snippets.js')]) {
    expect(address).toMatch(/^docs\/[0-9a-f]{16}\/[a-z-]+\.(css|js)$/);
    const file = await fetch(new URL(address, `${url}/docs`));
    expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(file.headers.get('content-type')).toBe(
      address.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    );
    expect(Number(file.headers.get('content-length'))).toBe((await file.arrayBuffer()).byteLength);
  }
});

test('it allows GET and HEAD; other paths are not found', async () => {
  const { url } = await serve({ docs });
  const head = await fetch(`${url}/docs`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const post = await fetch(`${url}/docs`, { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect(await post.json()).toMatchObject({ error: 40501 });
  for (const path of ['/docs/', '/docs/x', '/docs/docs.js', '/docs/..%2f..%2fpackage.json', '/DOCS']) {
    const response = await fetch(`${url}${path}`);
    expect([path, response.status, await response.json()]).toEqual([
      path,
      404,
      expect.objectContaining({ error: 40401 }),
    ]);
  }
});

test('if it is disabled, its path is not found', async () => {
  const { url } = await serve({});
  const response = await fetch(`${url}/docs`);
  expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ error: 40401 })]);
});

function addressesIn(html: string): readonly string[] {
  return [...html.matchAll(/<(?:link rel="stylesheet" href|script type="module" src)="([^"]+)"/g)].map(
    ([, address = '']) => address,
  );
}

async function serve(options: PlantServerOptions) {
  const app = plantServer({
    tokens: { verify: async () => ({ accepted: false }) },
    closeTimeout: 1,
    ...options,
  });
  onTestFinished(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url };
}
