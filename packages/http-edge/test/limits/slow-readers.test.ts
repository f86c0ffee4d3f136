import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { get, request, response, serve } from '../echo-server.ts';

/** More than the socket buffers of both sides hold. */
const large = get('/large').repeat(20);

/** Whom the log blames for the requests of a connection that was cut off. */
async function expectAborted(lines: readonly Record<string, unknown>[], why: string): Promise<void> {
  const aborted = () => lines.filter(({ msg }) => msg === 'request aborted');
  await vi.waitFor(() => expect(aborted()).not.toEqual([]));
  for (const line of aborted()) expect(line).toMatchObject({ reason: `the service closed the connection: ${why}` });
}

test('a client that does not read its responses takes no place', async () => {
  const { open, inFlight } = await serve({ maxRequestsInFlight: 30 });
  for (let client = 0; client < 4; client += 1) (await open(large)).pause();
  expect(await response(await open(), request())).toContain('200 OK');
  await vi.waitFor(() => expect(inFlight()).toBe(0));
});

test.each([
  ['a response that is not read in time', { responseTimeout: 200 }, 1, 'the response was not read within 200 ms'],
  ['the oldest of too many', { maxRequestsInFlight: 30 }, 4, 'more than 30 responses were not read'],
] as const)('%s ends its connection', async (_, settings, clients, why) => {
  const { open, lines } = await serve(settings);
  const [first] = await Promise.all(Array.from({ length: clients }, async () => (await open(large)).pause()));
  await vi.waitFor(
    () => expect(lines).toContainEqual(expect.objectContaining({ msg: 'slow readers disconnected' })),
    5_000,
  );
  const end = vi.fn();
  first?.once('close', end).resume();
  await vi.waitFor(() => expect(end).toHaveBeenCalled(), 5_000);
  await expectAborted(lines, why);
  expect(await response(await open(), request())).toContain('200 OK');
});

test('a connection with too many pipelined requests gets 100 responses, then a 503, and is closed', async () => {
  const { open } = await serve();
  const received = await text(await open(get('/small').repeat(1_000)));
  expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(100);
  expect(received.match(/HTTP\/1\.1 503 Service Unavailable/g)).toHaveLength(1);
  expect(received.slice(received.lastIndexOf('HTTP/1.1'))).toMatch(/connection: close(?:.*\r\n)*\r\n\{"error":50307,/);
});

test('once many requests of all connections are unfinished, a connection pipelines two, until they are closed', async () => {
  const { open, app } = await serve({ maxRequestsInFlight: 10, work: () => new Promise(() => {}) });
  let [unfinished, most] = [0, 0];
  app.server.on('request', (_, sent) => {
    unfinished += 1;
    most = Math.max(most, unfinished);
    sent.on('close', () => (unfinished -= 1));
  });
  const clients = await Promise.all(
    Array.from({ length: 30 }, (_, at) => open(request() + get(at % 2 ? '/no' : '/%zz').repeat(50))),
  );
  await vi.waitFor(() => expect(most).toBeGreaterThan(20));
  await setTimeout(100);
  // Beside those 20 there are few, since connections with unread responses are cut off.
  expect(most).toBeLessThanOrEqual(30);
  for (const client of clients) client.destroy();
  await vi.waitFor(async () => {
    const next = await open();
    next.end(get('/small').repeat(8));
    expect((await text(next)).match(/HTTP\/1\.1 200 /g)).toHaveLength(8);
  }, 20_000);
});

test.each([
  ['too many pipelined requests', get('/small').repeat(101), 101],
  ['an upgrade', get('/small').repeat(5) + get('/small').replace('\r\n\r\n', '\r\nUpgrade: h2c\r\n\r\n').repeat(2), 6],
])('nothing is made of what comes behind %s, and the responses before it arrive', async (_, requests, responses) => {
  let made = 0;
  const { open, app } = await serve();
  app.server.on('request', () => (made += 1));
  const chunks = `1\r\n \r\n`.repeat(10_000);
  const behind = `${get('/small').repeat(1_000)}POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`;
  const client = (await open(requests + behind, 'what is no request')).pause();
  await vi.waitFor(() => expect(made).toBeGreaterThan(responses));
  expect((await text(client)).match(/HTTP\/1\.1 /g)).toHaveLength(responses);
  // The first one shows that there are more.
  expect(made).toBe(responses + 1);
  // Node uses the parser of a connection for the next one.
  const next = await open();
  next.end(get('/small'));
  expect(await text(next)).toContain('200 OK');
});

test('a request that is rejected before its body has arrived releases its place immediately', async () => {
  const { open, inFlight } = await serve({ maxRequestsInFlight: 3 });
  for (let client = 0; client < 6; client += 1) {
    const socket = await open();
    const refused = request({ credentials: '', more: ['Content-Length: 9'], body: '' });
    expect(await response(socket, refused)).toContain('401 ');
    expect(socket.readyState).toBe('open');
  }
  expect(inFlight()).toBe(0);
});
