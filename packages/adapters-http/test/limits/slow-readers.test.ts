import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { sendContent } from '@plant-store/http-edge';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type PlantServerOptions, plantServer } from '../plant-server.ts';

const created = { outcome: 'created', plant: { name: 'Fern' } } as const;
/** Twenty of them are more than the socket buffers of both sides hold. */
const large = 'x'.repeat(1_500_000);
const description = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';

async function serve({ onServer, ...options }: PlantServerOptions & { onServer?: (server: Server) => void }) {
  let inFlight = () => Number.NaN;
  const lines: Record<string, unknown>[] = [];
  const server = plantServer({
    useCases: { createPlant: async () => created },
    observer: { completed: () => {}, watch: (count) => (inFlight = count) },
    logger: pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) }),
    closeTimeout: 1,
    ...options,
  });
  server.get('/large', (_, reply) => sendContent(reply, 'text/plain', large));
  onServer?.(server.server);
  onTestFinished(() => server.close());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const create = async () => {
    const response = await fetch(`${url}/plants`, {
      method: 'POST',
      headers: { authorization: 'Bearer anybody', 'content-type': 'application/json' },
      body: '{"id":1,"name":"Fern"}',
    });
    return response.status;
  };
  return { open, create, notRead: requestMuch, inFlight: () => inFlight(), lines };
}

/** Requests more than the socket buffers of both sides hold, and reads nothing. */
async function requestMuch(socket: Socket): Promise<void> {
  socket.pause();
  socket.write(`GET /large HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(20));
}

/** Whom the log blames for the requests of a connection that was cut off. */
async function expectAborted(lines: readonly Record<string, unknown>[], why: string): Promise<void> {
  const aborted = () => lines.filter(({ msg }) => msg === 'request aborted');
  await vi.waitFor(() => expect(aborted()).not.toEqual([]));
  for (const line of aborted()) expect(line).toMatchObject({ reason: `the service closed the connection: ${why}` });
}

test('a client that does not read its responses takes no place', async () => {
  const { open, create, notRead, inFlight } = await serve({ maxRequestsInFlight: 30 });
  for (let client = 0; client < 4; client += 1) await notRead(await open());
  expect(await create()).toBe(200);
  await vi.waitFor(() => expect(inFlight()).toBe(0));
});

test('a response that is not read in time ends its connection', async () => {
  const { open, create, notRead, lines } = await serve({ responseTimeout: 200 });
  const client = await open();
  const closed = new Promise((resolve) => client.once('close', resolve));
  await notRead(client);
  await vi.waitFor(() => expect(lines).toContainEqual(expect.objectContaining({ cutOff: 1, withinMs: 200 })), 5_000);
  client.resume();
  await closed;
  await expectAborted(lines, 'the response was not read within 200 ms');
  expect(await create()).toBe(200);
});

test('if too many responses are unread, the connection of the oldest one is cut off', async () => {
  const { open, create, notRead, lines } = await serve({ maxRequestsInFlight: 30 });
  const first = await open();
  await notRead(first);
  expect(lines.filter((line) => 'cutOff' in line)).toEqual([]);
  const others = await Promise.all(Array.from({ length: 3 }, open));
  await Promise.all(others.map(notRead));
  await vi.waitFor(
    () => expect(lines).toContainEqual(expect.objectContaining({ cutOff: expect.any(Number), maxUnread: 30 })),
    5_000,
  );
  const end = vi.fn();
  first.once('close', end).resume();
  await vi.waitFor(() => expect(end).toHaveBeenCalled(), 5_000);
  await expectAborted(lines, 'more than 30 responses were not read');
  expect(await create()).toBe(200);
});

test('a connection with too many pipelined requests gets 100 responses, then a 503, and is closed', async () => {
  const { open } = await serve({});
  const client = await open();
  client.write(description.repeat(1_000));
  const received = await text(client);
  expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(100);
  expect(received.match(/HTTP\/1\.1 503 Service Unavailable/g)).toHaveLength(1);
  expect(received.slice(received.lastIndexOf('HTTP/1.1'))).toMatch(/connection: close(?:.*\r\n)*\r\n\{"error":50302,/);
});

test('once many requests of all connections are unfinished, a connection pipelines two, until they are closed', async () => {
  let unfinished = 0;
  let most = 0;
  const { open } = await serve({
    maxRequestsInFlight: 10,
    useCases: { createPlant: () => new Promise(() => {}) },
    onServer: (server) =>
      server.on('request', (_, response) => {
        unfinished += 1;
        most = Math.max(most, unfinished);
        response.on('close', () => (unfinished -= 1));
      }),
  });
  const body = '{"id":1,"name":"Fern"}';
  const plant = `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer me\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const clients = await Promise.all(Array.from({ length: 30 }, open));
  for (const [at, client] of clients.entries())
    client.write(plant + `GET /${at % 2 ? 'no' : '%zz'} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(50));
  await vi.waitFor(() => expect(most).toBeGreaterThan(20));
  await setTimeout(100);
  // Beside those 20 there are few, since connections with unread responses are cut off.
  expect(most).toBeLessThanOrEqual(30);
  for (const client of clients) client.destroy();
  await vi.waitFor(async () => {
    const next = await open();
    next.end(description.repeat(8));
    expect((await text(next)).match(/HTTP\/1\.1 200 /g)).toHaveLength(8);
  });
});

test.each([
  ['too many pipelined requests', description.repeat(101), 101],
  ['an upgrade', description.repeat(5) + description.replace('\r\n\r\n', '\r\nUpgrade: h2c\r\n\r\n').repeat(2), 6],
])('nothing is made of what comes behind %s, and the responses before it arrive', async (_, requests, responses) => {
  let made = 0;
  const { open } = await serve({ onServer: (server) => server.on('request', () => (made += 1)) });
  const client = await open();
  const before = made;
  client.pause();
  const chunks = `1\r\n \r\n`.repeat(10_000);
  client.write(`${requests}${description.repeat(1_000)}POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`);
  client.write('what is no request');
  await vi.waitFor(() => expect(made).toBeGreaterThan(before + responses));
  const received = await text(client);
  expect(received.match(/HTTP\/1\.1 \d/g)).toHaveLength(responses);
  // The first one shows that there are more.
  expect(made - before).toBe(responses + 1);
  // Node uses the parser of a connection for the next one.
  const next = await open();
  next.end(description);
  expect(await text(next)).toContain('200 OK');
});

test('a request that is rejected before its body has arrived releases its place immediately', async () => {
  const { open, create, inFlight } = await serve({ maxRequestsInFlight: 3 });
  const clients = await Promise.all(Array.from({ length: 6 }, open));
  for (const client of clients) {
    client.write('POST /plants HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n');
    expect(String((await once(client, 'data'))[0])).toContain('401 Unauthorized');
    expect(client.readyState).toBe('open');
  }
  expect(inFlight()).toBe(0);
  expect(await create()).toBe(200);
});
