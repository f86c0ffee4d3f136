import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { request, response, serve } from '../echo-server.ts';

/** The lines of the log that say how many connections were refused. */
const limits = (lines: readonly Record<string, unknown>[]) =>
  lines.filter(({ msg }) => msg === 'connection limit reached');

test('at the limit, a new connection replaces the one that has been idle longest', async () => {
  const { open, lines } = await serve({ maxConnections: 3 });
  const [first, second, third] = [await open(), await open(), await open()];
  for (const socket of [second, first, third]) expect(await response(socket, request())).toContain('200 OK');
  const fourth = await open();
  expect(await response(fourth, request())).toContain('200 OK');
  expect(await text(second)).toBe('');
  for (const socket of [first, third, fourth]) expect(await response(socket, request())).toContain('200 OK');
  const line = { level: 40, maxConnections: 3, closedIdle: 1, refused: 0, dropped: 0 };
  await vi.waitFor(() => expect(limits(lines)).toEqual([expect.objectContaining(line)]), 3_000);
});

test('if none is idle, the new connection gets a 503, and the others stay open', async () => {
  const done = Promise.withResolvers<string>();
  const work = vi.fn(() => done.promise);
  const { open, lines } = await serve({ maxConnections: 2, work });
  const busy = [await open(), await open()].map((socket) => response(socket, request()));
  await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(2));

  // What it sends nevertheless is not read, and gets no response of its own.
  const said = await text(await open(request()));
  expect(said).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n(?:.*\r\n)*retry-after: 1\r\n/);
  expect(said).toMatch(/\r\nconnection: close\r\n(?:.*\r\n)*\r\n\{"error":50307,"message":"[^"]+"\}$/);
  expect(work).toHaveBeenCalledTimes(2);

  done.resolve('done');
  for (const each of await Promise.all(busy)) expect(each).toContain('200 OK');
  expect(await response(await open(), request())).toContain('200 OK');
  await vi.waitFor(() => expect(limits(lines)).toEqual([expect.objectContaining({ refused: 1 })]), 3_000);
});

test('a connection with pipelined requests is idle when the last of them is completed', async () => {
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const work = vi.fn(() => second.promise).mockReturnValueOnce(first.promise);
  const { open, inFlight } = await serve({ maxConnections: 1, work });
  const busy = await open(request() + request());
  await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(2));
  first.resolve('first');
  expect(await response(busy)).toContain('"first"');
  await vi.waitFor(() => expect(inFlight()).toBe(1));
  expect(await text(await open())).toContain('"error":50307');
  second.resolve('second');
  expect(await response(busy)).toContain('"second"');
});
