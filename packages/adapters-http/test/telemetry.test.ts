import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { expect, test, vi } from 'vitest';
import type { RequestObserver } from '../src/index.ts';
import { patient, post, requestOf, serve, statuses } from './serve.ts';

const close = { Connection: 'close' };

test('each request is one line, with its fields and why it failed, and neither token nor query nor body', async () => {
  const createPlant = vi
    .fn()
    .mockRejectedValueOnce(new StoreUnavailable('no route'))
    .mockResolvedValue({ outcome: 'created', plant: { name: 'n' }, isNew: true });
  const { lines, received } = await serve({ useCases: { createPlant } });
  const secret = { 'X-Request-Id': 'mine', Authorization: 'Bearer s3cret' };
  const sent = post('{"id":7,"name":"s3cret"}', secret).replace('/plants ', '/plants?key=s3cret ');
  await received(
    sent + post('{"id":7,"name":"s3cret"}', { ...close, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }),
  );
  const always = { time: expect.any(Number), pid: expect.any(Number), hostname: expect.any(String) };
  const line = {
    ...always,
    reqId: expect.any(String),
    method: 'POST',
    path: '/plants',
    ms: expect.any(Number),
    msg: 'request completed',
  };
  await vi.waitFor(
    () =>
      expect(lines).toEqual([
        { ...line, level: 40, reqId: 'mine', status: 503, error: 50301, reason: 'no route' },
        { ...line, level: 30, status: 200, trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) },
      ]),
    patient,
  );
});

test.each([
  ['POST http://user:s3cret@x/nothing?to=s3cret HTTP/1.1', '/nothing'],
  ['POST http://user:s3cret@x HTTP/1.1', ''],
  ['CONNECT user:s3cret@x:443 HTTP/1.1', ''],
  ['GET /plants#s3cret HTTP/1.1', '/plants'],
  ['POST /%zz?s3cret HTTP/1.1', '/%zz'],
  [`GET /${'x'.repeat(10_000)} HTTP/1.1`, `/${'x'.repeat(255)}`],
])('of %s it has the path, without what may be secret', async (target, path) => {
  const { lines, received } = await serve();
  await received(requestOf(target, '', close));
  await vi.waitFor(() => expect(lines).toMatchObject([{ path }]), patient);
  expect(JSON.stringify(lines)).not.toContain('s3cret');
});

test('a body that turns out to be malformed is refused under the ID of its request', async () => {
  const { lines, received } = await serve();
  const headers = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked', 'X-Request-Id': 'torn' };
  expect(await received(post('1\r\n{\r\nno size\r\n', headers))).toMatch(/^HTTP\/1.1 400 .*X-Request-Id: torn\r\n/s);
  const rejected = { reqId: 'torn', error: 40006, reason: expect.stringContaining('(HPE_INVALID_CHUNK_SIZE)') };
  await vi.waitFor(() => expect(lines).toMatchObject([rejected, { reqId: 'torn', msg: 'request aborted' }]), patient);
});

test('a client that has gone away has a line, and no place any more', async () => {
  const work = vi.fn(() => new Promise<never>(() => {}));
  const observer = observing();
  const { lines, open } = await serve({ useCases: { createPlant: work }, observer });
  const socket = await open(post(undefined, { 'X-Request-Id': 'impatient' }) + post());
  await vi.waitFor(() => expect([work.mock.calls.length, observer.inFlight()]).toEqual([2, 2]), patient);
  socket.destroy();
  await vi.waitFor(
    () =>
      expect(lines).toMatchObject([
        { reqId: 'impatient', path: '/plants', msg: 'request aborted' },
        { msg: 'request aborted' },
      ]),
    patient,
  );
  expect(lines[0]).not.toHaveProperty('status');
  expect([observer.inFlight(), observer.completed.mock.calls]).toEqual([0, []]);
  expect(observer.ended.mock.calls).toEqual([[undefined], [undefined]]);
});

function observing() {
  let inFlight = () => Number.NaN;
  const ended = vi.fn();
  return {
    completed: vi.fn<RequestObserver['completed']>(),
    watch: (requests: () => number) => {
      inFlight = requests;
    },
    startSpan: vi.fn(() => ({ traceId: 'trace', spanId: 'span', run: <R>(work: () => R) => work(), end: ended })),
    ended,
    inFlight: () => inFlight(),
  };
}

test('CONNECT is refused, and a client that resets its connection then does no harm', async () => {
  const { open, received } = await serve();
  expect(await received('CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(
    /^HTTP\/1.1 400 .*"error":40006/s,
  );
  const clients = await Promise.all(Array.from({ length: 50 }, () => open('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n')));
  for (const client of clients) client.resetAndDestroy();
  await sleep(50);
  expect(statuses(await received(post(undefined, close)))).toEqual([200]);
});
