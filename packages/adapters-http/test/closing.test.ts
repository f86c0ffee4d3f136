import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { post, serve, statuses } from './serve.ts';

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

test('requests in flight are completed, errors too, and idle connections do not hold up the end', async () => {
  const done = Promise.withResolvers<never>();
  const createPlant = vi.fn(() => done.promise);
  const { app, open } = await serve({ useCases: { createPlant } });
  const [busy] = [await open(post()), await open()];
  await vi.waitFor(() => expect(createPlant).toHaveBeenCalled());
  const closed = app.close();
  await sleep(600);
  done.reject(new Error('late'));
  expect(statuses(await text(busy))).toEqual([500]);
  const ended = await Promise.race([closed.then(() => 'closed'), sleep(2_000, 'held up')]);
  expect(ended).toBe('closed');
});
