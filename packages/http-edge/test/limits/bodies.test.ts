import type { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { chunk, type EchoOptions, request, response, serve } from '../echo-server.ts';

const LARGE = 49_000;
const settings: EchoOptions = { bodyLimit: 90_000, maxBodyBytesInFlight: 100_000, work: async () => 'done' };
const rejected = /^HTTP\/1\.1 503 Service Unavailable\r\n(?:.*\r\n)*retry-after: 1\r\n(?:.*\r\n)*\r\n\{"error":50307,/;

const text = (bytes: number) => 'a'.repeat(bytes);
/** The head of a request, which asks whether a body of this length may come. */
const asking = (bytes: number) => request({ more: [`Content-Length: ${bytes}`, 'Expect: 100-continue'], body: '' });
const sized = (bytes: number, sent = bytes) => request({ more: [`Content-Length: ${bytes}`], body: text(sent) });
const chunked = (...chunks: readonly string[]) =>
  request({ more: ['Transfer-Encoding: chunked'], body: chunks.map(chunk).join('') });

test('large bodies over the limit are rejected by their Content-Length; small ones never are', async () => {
  const { open } = await serve(settings);
  const two = [await open(), await open()] as const;
  for (const socket of two) expect(await response(socket, asking(LARGE))).toContain('100 Continue');
  expect(await response(await open(), asking(LARGE))).toMatch(rejected);
  expect(await response(await open(), sized(10_000))).toContain('200 OK');
  expect(await response(await open(), `${chunked(text(10_000))}0\r\n\r\n`)).toContain('200 OK');

  // One is completed, one disconnects: both release their bytes.
  expect(await response(two[0], text(LARGE))).toContain('200 OK');
  two[1].destroy();
  await vi.waitFor(async () => expect(await response(await open(), sized(85_000))).toContain('200 OK'));
});

test('chunked bodies count as they arrive', async () => {
  const { open } = await serve(settings);
  const [first, second] = [await open(chunked(text(LARGE))), await open(chunked(text(LARGE)))];
  const another = async () => response(await open(), asking(LARGE));
  await vi.waitFor(async () => expect(await another()).toMatch(rejected));
  expect(await response(second, chunk(text(20_000)))).toMatch(rejected);
  // What it still sends is discarded.
  second.write(chunk(text(LARGE)));
  expect(await response(first, '0\r\n\r\n')).toContain('200 OK');
  await vi.waitFor(async () => expect(await another()).toContain('100 Continue'));
});

test('of small bodies that do not arrive, the one that began first is refused to make room', async () => {
  const check = vi.fn(async () => {});
  const { open } = await serve({ ...settings, check });
  const clients: Socket[] = [];
  for (let client = 0; client < 5; client += 1) {
    clients.push(await open(sized(15_000, 14_000)));
    // In this order.
    await vi.waitFor(() => expect(check).toHaveBeenCalledTimes(client + 1));
  }
  const [first, second, ...others] = clients as [Socket, Socket, ...Socket[]];
  for (const refused of [first, second]) expect(await response(refused)).toMatch(rejected);
  for (const socket of others) expect(await response(socket, text(1_000))).toContain('200 OK');
});

test('a body over the body limit is refused as too large, not as overload: in chunks, or before it is sent', async () => {
  const { open } = await serve(settings);
  expect(await response(await open(), chunked(text(45_000), text(45_000), text(45_000)))).toContain('"error":41307');
  expect(await response(await open(), asking(90_001))).toMatch(/^HTTP\/1\.1 413 (?:.*\r\n)*\r\n\{"error":41307,/);
  expect(await response(await open(), sized(90_000))).toContain('200 OK');
});

test('a client that is refused, or disconnects while it is checked, reserves no bytes, and nothing is done for it', async () => {
  const checked = Promise.withResolvers<void>();
  const work = vi.fn(async () => 'done');
  const { open, inFlight } = await serve({ ...settings, work, check: () => checked.promise });
  expect(await response(await open(), request({ credentials: '', more: ['Content-Length: 85000'] }))).toContain('401 ');
  const clients = [await open(sized(85_000, 0)), await open(sized(50))];
  await vi.waitFor(() => expect(inFlight()).toBe(2));
  for (const client of clients) client.destroy();
  await vi.waitFor(() => expect(inFlight()).toBe(0));
  checked.resolve();
  expect(await response(await open(), sized(85_000))).toContain('200 OK');
  expect(work).toHaveBeenCalledOnce();
});
