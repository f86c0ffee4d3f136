import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { listenOptions } from '../src/index.ts';
import { patient, post, serve, statuses } from './serve.ts';

test('a kept connection has its last request served, and is told that it was the last', async () => {
  const { app, open } = await serve();
  const socket = await open(post());
  await once(socket, 'data');
  const closed = app.close();
  await sleep(50);
  socket.write(post());
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 .*connection: close\r\n/is);
  await closed;
  expect(app.server.listening).toBe(false);
});

test('however many sockets listen, all requests in flight are completed, and then nothing listens', async () => {
  const done = Promise.withResolvers<{ outcome: 'created'; plant: { name: string }; isNew: true }>();
  const createPlant = vi.fn(() => done.promise);
  const { app, url, open } = await serve({ useCases: { createPlant } });
  const sockets = await Promise.all(Array.from({ length: 40 }, () => open(post())));
  await vi.waitFor(() => expect(createPlant).toHaveBeenCalledTimes(40), patient);
  const closed = app.close();
  await sleep(1_000);
  done.resolve({ outcome: 'created', plant: { name: 'n' }, isNew: true });
  for (const socket of sockets) expect(statuses(await text(socket))).toEqual([200]);
  await closed;
  await expect(fetch(url)).rejects.toThrow();
});

test('a port at which another service listens is not shared', async () => {
  const { url } = await serve();
  await expect(listenOptions('127.0.0.1', Number(new URL(url).port))).rejects.toThrow('EADDRINUSE');
});

test('requests in flight are completed, errors too, and idle connections do not hold up the end', async () => {
  const done = Promise.withResolvers<never>();
  const createPlant = vi.fn(() => done.promise);
  const { app, open } = await serve({ useCases: { createPlant } });
  const [busy] = [await open(post()), await open()];
  await vi.waitFor(() => expect(createPlant).toHaveBeenCalled(), patient);
  const closed = app.close();
  await sleep(600);
  done.reject(new Error('late'));
  expect(statuses(await text(busy))).toEqual([500]);
  const ended = await Promise.race([closed.then(() => 'closed'), sleep(20_000, 'held up', { ref: false })]);
  expect(ended).toBe('closed');
});
