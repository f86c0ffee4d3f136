import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { patient, post, serve } from './serve.ts';

test('P9/F1 a kept connection has its last request served, and is told that it was the last', async () => {
  const { app, open } = await serve();
  const socket = await open(post());
  await once(socket, 'data');
  const closed = app.close();
  await vi.waitFor(() => expect(app.server.listening).toBe(false), { ...patient, interval: 1 });
  socket.write(post());
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 .*connection: close\r\n/is);
  await closed;
});

test('P9/F1 all requests in flight are completed, errors too, and an idle connection does not hold up the end', async () => {
  const done = Promise.withResolvers<never>();
  const createPlant = vi.fn(() => done.promise);
  const { app, url, open } = await serve({ useCases: { createPlant } });
  const [idle, ...busy] = await Promise.all([open(), ...Array.from({ length: 40 }, () => open(post()))]);
  await vi.waitFor(() => expect(createPlant).toHaveBeenCalledTimes(40), patient);
  const closed = app.close();
  await vi.waitFor(() => expect(app.server.listening).toBe(false), patient);
  // Longer than idle connections are kept.
  await sleep(600);
  done.reject(new Error('late'));
  for (const socket of busy) expect(await text(socket)).toMatch(/^HTTP\/1.1 500 .*connection: close\r\n/is);
  expect(await text(idle)).toBe('');
  await closed;
  await expect(fetch(url)).rejects.toThrow();
});
