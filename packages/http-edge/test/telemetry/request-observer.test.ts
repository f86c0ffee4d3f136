import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import type { LogRequest, RequestObserver, RequestSpan } from '../../src/index.ts';
import { echoServer, get, request, response, serve } from '../echo-server.ts';

const completed = () => vi.fn<RequestObserver['completed']>();
const context = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), flags: 1 };
const spanWith = (end: RequestSpan['end']): RequestSpan => ({ context, part: (_, work) => work(), end });

test('each response is observed once, whichever part sends it; one to a request that could not be read has no duration', async () => {
  const observed = completed();
  const { open } = await serve({ observer: { completed: observed } });
  const last = ['Connection: close'];
  for (const [bytes, method, route, status, isTimed] of [
    [request({ more: last }), 'POST', '/echo', 200, true],
    [request({ more: last, body: '' }), 'POST', '/echo', 422, true],
    [get('/small').replace('x', 'x\r\nConnection: close'), 'GET', '/small', 200, true],
    [request({ line: 'GET /%zz HTTP/1.1', more: last }), 'GET', undefined, 400, true],
    [request({ line: 'MKCOL /echo HTTP/1.1', more: last }), '_OTHER', undefined, 405, true],
    [request({ line: 'CONNECT x:1 HTTP/1.1' }), 'CONNECT', undefined, 400, false],
    ['garbage\r\n\r\n', '_OTHER', undefined, 400, false],
    [request({ more: ['Transfer-Encoding: chunked'], body: 'zz\r\n' }), 'POST', '/echo', 400, true],
  ] as const) {
    observed.mockClear();
    await text(await open(bytes));
    const seconds = isTimed ? expect.toSatisfy((duration: number) => duration >= 0 && duration < 10) : undefined;
    await vi.waitFor(() => expect(observed.mock.calls).toEqual([[method, route, status, seconds]]));
  }
});

test("requests of Fastify's inject are logged and observed", async () => {
  const [logRequest, observed] = [vi.fn<LogRequest>(), completed()];
  const app = echoServer({ logRequest, observer: { completed: observed } });
  const headers = { authorization: 'me', 'content-type': 'application/json', 'x-request-id': 'mine' };
  await app.inject({ method: 'POST', url: '/echo', headers, payload: 'Fern' });
  await app.inject({ method: 'POST', url: '/echo' });
  await app.inject('/%zz');
  const expected = [
    ['POST', '/echo', 200, undefined],
    ['POST', '/echo', 401, 40_107],
    ['GET', '/%zz', 400, 40_007],
  ];
  expect(logRequest.mock.calls.map(([line]) => [line.method, line.path, line.status, line.error])).toEqual(expected);
  expect(logRequest.mock.calls[0]?.[0].requestId).toBe('mine');
  expect(observed.mock.calls.map(([, , status]) => status)).toEqual([200, 401, 400]);
});

test('a span ends with its request; if its connection was closed, it says by whom', async () => {
  const end = vi.fn<RequestSpan['end']>();
  const work = vi
    .fn(async () => 'done')
    .mockReturnValue(new Promise(() => {}))
    .mockResolvedValueOnce('done');
  const { app, open } = await serve({ observer: { startSpan: () => spanWith(end) }, work });
  await response(await open(), request());
  await vi.waitFor(() => expect(end.mock.calls).toEqual([[200, false]]));

  const client = await open(request());
  await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(2));
  client.destroy();
  await vi.waitFor(() => expect(end.mock.calls.at(-1)).toEqual([undefined, false]));

  await open(request());
  await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(3));
  await app.close();
  await vi.waitFor(() => expect(end.mock.calls.at(-1)).toEqual([undefined, true]));
  expect(end).toHaveBeenCalledTimes(3);
});
