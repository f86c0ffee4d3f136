import { expect, onTestFinished, test } from 'vitest';
import { type PlantServerOptions, plantServer } from '../plant-server.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const addresses = { plants: './plants', openapi: './openapi.json', docs: './docs' };

test.each([browser, 'text/html', 'application/json;q=0.5, text/*'])(
  'a browser (Accept: %s) is led from the root to the page, also below a path of a proxy',
  async (accept) => {
    const response = await getRoot({ docs: { tokenHint: 'Ask.' } }, { accept });
    expect([response.status, await response.text()]).toEqual([302, '']);
    expect(response.headers.get('location')).toBe('./docs');
    expect(response.headers.get('vary')).toBe('accept');
  },
);

test.each(['*/*', 'application/json', 'application/json, text/html;q=0.9', 'image/png', undefined])(
  'any other client (Accept: %s) gets the addresses there',
  async (accept) => {
    const response = await getRoot({ docs: { tokenHint: 'Ask.' } }, accept === undefined ? {} : { accept });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await response.json()).toEqual(addresses);
    expect(response.headers.get('vary')).toBe('accept');
  },
);

test('a service without the page leads nobody to it', async () => {
  const { docs: _, ...others } = addresses;
  expect(await (await getRoot({}, { accept: browser })).json()).toEqual(others);
});

test('the root allows GET and HEAD', async () => {
  const head = await getRoot({}, {}, 'HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
  const post = await getRoot({}, {}, 'POST');
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

async function getRoot(
  options: PlantServerOptions,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
): Promise<Response> {
  const app = plantServer({
    tokens: { verify: async () => ({ accepted: false }) },
    ...options,
  });
  onTestFinished(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  // A server that closes waits half a second for the next request of a kept connection.
  return fetch(url, { method, headers: { ...headers, connection: 'close' }, redirect: 'manual' });
}
