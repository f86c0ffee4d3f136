import { expect, test } from 'vitest';
import { plantServer } from './serve.ts';

const app = plantServer({ docs: true });

test('the page needs no token, its links work below any prefix, and it sends requests to the service', async () => {
  const page = await app.inject('/docs');
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const links = [...page.payload.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
  expect(links).not.toEqual([]);
  for (const link of links) {
    expect(link).toMatch(/^\.\//);
    expect(await app.inject(new URL(link, 'http://x/docs').pathname)).toMatchObject({ statusCode: 200 });
  }
  const { servers, paths } = (await app.inject('/docs/json')).json();
  expect([servers[0].url, Object.keys(paths)]).toEqual(['..', expect.arrayContaining(['/plants'])]);
});

test('of a file of the page another method gets 405, and one that is missing 404', async () => {
  const other = await app.inject({ method: 'POST', url: '/docs/static/index.css' });
  expect([other.statusCode, other.headers['allow'], other.json().error]).toEqual([405, 'GET, HEAD', 40501]);
  expect((await app.inject('/docs/static/nothing')).json()).toMatchObject({ error: 40401 });
  expect((await plantServer().inject('/docs')).json()).toMatchObject({ error: 40401 });
});
