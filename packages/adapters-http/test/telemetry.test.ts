import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { expect, test, vi } from 'vitest';
import { chunked, patient, post, serve, statuses, writeRequest } from './serve.ts';

const close = { Connection: 'close' };

test('P7/F7 each request is one line, with its fields and why it failed, and neither token nor query nor body', async () => {
  const createPlant = vi
    .fn()
    .mockRejectedValueOnce(new StoreUnavailable('no route'))
    .mockResolvedValue({ outcome: 'created', plant: { name: 'n' } });
  const tokens = { verify: async () => ({ accepted: true, subject: 'token one' }) as const };
  const { lines, received } = await serve({ useCases: { createPlant }, tokens });
  const secret = { 'X-Request-Id': 'mine', Authorization: 'Bearer s3cret' };
  const sent = post('{"id":7,"name":"s3cret"}', secret).replace('/plants ', '/plants?key=s3cret ');
  const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  await received(sent + post('{"id":7,"name":"s3cret"}', { ...close, ...trace }));
  const line = {
    time: expect.any(Number),
    pid: expect.any(Number),
    hostname: expect.any(String),
    reqId: expect.any(String),
    method: 'POST',
    path: '/plants',
    ms: expect.any(Number),
    client: 'token one',
    msg: 'request completed',
  };
  await vi.waitFor(
    () =>
      expect(lines).toEqual([
        { ...line, level: 40, reqId: 'mine', status: 503, error: 50301, reason: 'no route' },
        { ...line, level: 30, status: 200, trace_id: 'a'.repeat(32) },
      ]),
    patient,
  );
});

test.each([
  ['POST http://user:s3cret@x/nothing?to=s3cret HTTP/1.1', '/nothing'],
  ['POST http://user:s3cret@x HTTP/1.1', ''],
  ['GET /plants#s3cret HTTP/1.1', '/plants'],
  ['POST /%zz?s3cret HTTP/1.1', '/%zz'],
  [`GET /${'x'.repeat(10_000)} HTTP/1.1`, `/${'x'.repeat(255)}`],
])('P7/F7 of %s the line has the path, without what may be secret', async (target, path) => {
  const { lines, received } = await serve();
  await received(writeRequest(target, '', close));
  await vi.waitFor(() => expect(lines).toMatchObject([{ path }]), patient);
  expect(JSON.stringify(lines)).not.toContain('s3cret');
});

test.each([
  ['the request itself', 'NONSENSE\r\n\r\n', 'HPE_INVALID_METHOD'],
  ['the body of a request', `${chunked('{', [1]).slice(0, -5)}no size\r\n`, 'HPE_INVALID_CHUNK_SIZE'],
  ['a request to connect', 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n', 'unknown'],
])('P4/F7 if %s is no HTTP it gets an Error record, and a line', async (_, sent, code) => {
  const { lines, received } = await serve();
  expect(await received(sent)).toMatch(/^HTTP\/1.1 400 .*"error":40006/s);
  const line = { error: 40006, reason: expect.stringContaining(`(${code})`), msg: 'malformed request rejected' };
  await vi.waitFor(() => expect(lines).toContainEqual(expect.objectContaining(line)), patient);
});

test('P4/F7 a complete request gets its own response, and no other one, if what follows is no HTTP', async () => {
  const done = Promise.withResolvers<never>();
  const { lines, open, inFlight } = await serve({ useCases: { createPlant: () => done.promise } });
  const socket = await open(post() + post());
  await vi.waitFor(() => expect(inFlight()).toBe(2), patient);
  socket.write('NONSENSE\r\n\r\n');
  await sleep(50);
  done.reject(new StoreUnavailable('no route'));
  expect(statuses(await text(socket))).toEqual([503, 503]);
  expect(lines).toMatchObject([{ status: 503 }, { status: 503 }]);
});
