import { expect, test, vi } from 'vitest';
import { get, request, response, serve } from '../echo-server.ts';

const overloaded =
  /^HTTP\/1\.1 503 Service Unavailable\r\n(?:.*\r\n)*retry-after: 1\r\n(?:.*\r\n)*\r\n\{"error":50307,/;

test('requests over the limit are rejected at once, documents are not; there is room again when one is completed or its client has disconnected', async () => {
  const done = Promise.withResolvers<string>();
  const work = vi.fn(() => done.promise);
  const { open, inFlight } = await serve({ work, maxRequestsInFlight: 2 });
  const [first, second] = [await open(request()), await open(request())];
  await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(2));
  expect(await response(await open(), request())).toMatch(overloaded);
  expect(await response(await open(), get('/small'))).toContain('200 OK');
  second.destroy();
  await vi.waitFor(() => expect(inFlight()).toBe(1));
  const third = await open(request());
  await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(3));
  done.resolve('done');
  for (const socket of [first, third]) expect(await response(socket)).toContain('200 OK');
  await vi.waitFor(() => expect(inFlight()).toBe(0));
});

test('a request releases its place while it waits for its body, and needs one again when the body has arrived', async () => {
  const done = Promise.withResolvers<string>();
  const [check, work] = [vi.fn(async () => {}), vi.fn(() => done.promise)];
  const { open, inFlight } = await serve({ check, work, maxRequestsInFlight: 1 });
  async function unfinished() {
    check.mockClear();
    const socket = await open(request({ more: ['Content-Length: 8'] }));
    await vi.waitFor(() => expect([check.mock.calls.length, inFlight()]).toEqual([1, 0]));
    return socket;
  }
  const waiting = await unfinished();
  const first = await open(request());
  await vi.waitFor(() => expect(work).toHaveBeenCalledOnce());
  expect(await response(waiting, 'moss')).toMatch(overloaded);
  done.resolve('done');
  expect(await response(first)).toContain('200 OK');
  expect(await response(await unfinished(), 'moss')).toContain('200 OK');
});

test("Fastify's inject releases its places, too", async () => {
  const { app } = await serve({ maxRequestsInFlight: 1 });
  const headers = { authorization: 'me', 'content-type': 'application/json' };
  for (const payload of ['first', 'second']) {
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/echo', headers, payload });
    expect([statusCode, JSON.parse(body)]).toEqual([200, payload]);
  }
});
