import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { chunked, patient, post, serve, statuses, writeRequest } from './serve.ts';

const close = { Connection: 'close' };
const created = { outcome: 'created', plant: { name: 'n' } } as const;

test('P6/F9 requests over the limit get 503 before their token is checked or their body is read, and others a place again', async () => {
  const done = Promise.withResolvers<typeof created>();
  const verify = vi.fn(async (subject: string) => ({ accepted: true as const, subject }));
  const { open, received, inFlight } = await serve({
    useCases: { createPlant: () => done.promise },
    tokens: { verify },
    maxRequestsInFlight: 2,
  });
  const first = await open(post(undefined, close));
  // Its body never arrives.
  await open(post('', { 'Content-Length': '2' }));
  await vi.waitFor(() => expect([inFlight(), verify.mock.calls.length]).toEqual([2, 2]), patient);
  const head = post('', { 'Content-Length': '2', Authorization: undefined, ...close });
  expect(await received(head)).toMatch(/^HTTP\/1.1 503 .*retry-after: 1\r\n.*"error":50302/s);
  expect(verify).toHaveBeenCalledTimes(2);
  expect(statuses(await received(writeRequest('GET /openapi.json HTTP/1.1', '', close)))).toEqual([200]);
  done.resolve(created);
  expect(statuses(await text(first))).toEqual([200]);
  expect(statuses(await received(post(undefined, close)))).toEqual([200]);
});

test.each([
  ['while its token is checked', post('', { 'Content-Length': '2' }), 'verify'],
  ['while its body arrives', post('{', { 'Content-Length': '2' }), 'body'],
  ['while its plant is stored', post(), 'createPlant'],
  ['with requests that wait for their turn', post().repeat(5), 'createPlant'],
])('P6/F9 a client that disconnects %s keeps no place', async (_, sent, when) => {
  const done = Promise.withResolvers<void>();
  const wait = (at: string) => (at === when ? done.promise : undefined);
  const { open, lines, inFlight } = await serve({
    useCases: { createPlant: async () => ({ ...created, wait: await wait('createPlant') }) },
    tokens: { verify: async () => ({ accepted: true, subject: 'me', wait: await wait('verify') }) },
  });
  const socket = await open(sent);
  await vi.waitFor(() => expect(inFlight()).toBe(sent.split('POST').length - 1), patient);
  socket.resetAndDestroy();
  await vi.waitFor(() => expect(lines).toContainEqual(expect.objectContaining({ msg: 'request aborted' })), patient);
  done.resolve();
  await vi.waitFor(() => expect(inFlight()).toBe(0), patient);
});

test('P2/F7 a body is the same plant in whatever chunks it arrives, and too large in whatever chunks it is', async () => {
  const createPlant = vi.fn(async () => created);
  const { received } = await serve({ useCases: { createPlant }, bodyLimit: 5_000 });
  const sizes = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2_000 })), { minLength: 1, maxLength: 50 });
  const sample = fc.record({ sizes, length: fc.integer({ min: 0, max: 5_100 }), isDeclared: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(sample, async ({ sizes, length, isDeclared }) => {
      const name = 'abcdefghijklmnopqrstuvwxyz'.repeat(200).slice(0, length);
      const json = JSON.stringify({ id: 7, name });
      createPlant.mockClear();
      const isTooLarge = json.length > 5_000;
      const response = await received(isDeclared ? post(json, close) : chunked(json, sizes, close));
      expect(statuses(response)).toEqual([isTooLarge ? 400 : 200]);
      expect(createPlant.mock.calls).toEqual(isTooLarge ? [] : [[{ id: 7n, name }]]);
    }),
    { numRuns: 60 },
  );
});

test('P6/F9 each client has its own share of requests a second', async () => {
  // The clock stands still, so that a busy machine does not begin another second.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { received } = await serve({ requestsPerSecond: 2 });
  const as = (token: string | undefined, more = {}) =>
    post(undefined, { Authorization: token && `Bearer ${token}`, ...more });
  const sent = as('one').repeat(3) + as('two') + as(undefined).repeat(3) + as('one', close);
  const responses = await received(sent);
  expect(statuses(responses)).toEqual([200, 200, 429, 200, 401, 401, 401, 429]);
  expect(responses).toMatch(/ 429 .*retry-after: 1\r\n.*"error":42901/s);
});

test('P6/F9 connections over the limit are closed', async () => {
  const { open, received } = await serve({ maxConnections: 1 });
  await once(await open(), 'connect');
  expect(await received(post()).catch(() => '')).toBe('');
});
