import { expect, test } from 'vitest';
import { createAdminServer } from '../src/index.ts';

const options = { ready: async () => {}, metrics: async () => 'up 1\n' };

test('it says that the process lives, that the service is ready, and its metrics', async () => {
  const app = createAdminServer(options);
  expect((await app.inject('/livez')).json()).toEqual({ status: 'ok' });
  expect((await app.inject('/readyz')).json()).toEqual({ status: 'ok' });
  const { headers, payload } = await app.inject('/metrics');
  expect([headers['content-type'], payload]).toEqual(['text/plain; version=0.0.4; charset=utf-8', 'up 1\n']);
});

test('while the service is not ready it says why, and when to ask again', async () => {
  const app = createAdminServer({ ...options, ready: () => Promise.reject(new Error('no store')) });
  const { statusCode, headers, payload } = await app.inject('/readyz');
  expect([statusCode, headers['retry-after'], JSON.parse(payload)]).toEqual([
    503,
    '1',
    { status: 'unavailable', reason: 'no store' },
  ]);
  expect((await app.inject('/livez')).statusCode).toBe(200);
});
