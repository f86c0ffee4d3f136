import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
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

test('as many silent connections as there may be keep a probe out for a few seconds only', async () => {
  const app = createAdminServer(options);
  onTestFinished(async () => void (await app.close()));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const silent = Array.from({ length: 100 }, () =>
    connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {}),
  );
  onTestFinished(() => silent.forEach((socket) => void socket.destroy()));
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  const isLive = async () => (await fetch(`${url}/livez`).catch(() => undefined))?.ok ?? false;
  expect(await isLive()).toBe(false);
  await expect.poll(isLive, { timeout: 30_000 }).toBe(true);
});

test('what fails says why, and a path that is not there is a 404', async () => {
  const app = createAdminServer({ ...options, metrics: () => Promise.reject(new Error('no registry')) });
  const { statusCode, payload } = await app.inject('/metrics');
  expect([statusCode, JSON.parse(payload).message]).toEqual([500, 'no registry']);
  expect((await app.inject('/')).statusCode).toBe(404);
});
