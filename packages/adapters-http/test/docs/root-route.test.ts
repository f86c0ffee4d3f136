import { expect, test } from 'vitest';
import { plantServer } from '../plant-server.ts';

const docs = { tokenHint: 'Ask.' };
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const addresses = { plants: './plants', openapi: './openapi.json' };

test.each([
  [browser, true],
  ['text/html', true],
  ['application/json;q=0.5, text/*', true],
  ['*/*', false],
  ['application/json', false],
  ['application/json, text/html;q=0.9', false],
  ['image/png', false],
  [undefined, false],
])('with Accept: %s, the root leads to the page: %s; else it has the addresses', async (accept, isBrowser) => {
  const root = (options: Parameters<typeof plantServer>[0]) =>
    plantServer(options).inject({ url: '/', headers: accept === undefined ? {} : { accept } });
  const response = await root({ docs });
  expect(response.headers['vary']).toBe('accept');
  // Relative, so that the service may be below a path of a proxy.
  if (isBrowser)
    expect([response.statusCode, response.headers['location'], response.payload]).toEqual([302, './docs', '']);
  else expect([response.statusCode, response.json()]).toEqual([200, { ...addresses, docs: './docs' }]);

  // A service without the page leads nobody to it.
  expect((await root({})).json()).toEqual(addresses);
});
