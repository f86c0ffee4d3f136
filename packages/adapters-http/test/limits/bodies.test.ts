import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { plantServer } from '../plant-server.ts';

const created = { outcome: 'created', plant: { name: 'Fern' } } as const;
const LARGE = 49_000;

async function serve(verify = async (subject: string) => ({ accepted: true, subject }) as const) {
  let creates = 0;
  let inFlight = () => Number.NaN;
  const server = plantServer({
    useCases: {
      createPlant: async () => {
        creates += 1;
        return created;
      },
    },
    tokens: { verify },
    bodyLimit: 90_000,
    maxBodyBytesInFlight: 100_000,
    closeTimeout: 1,
    observer: { completed() {}, watch: (count) => (inFlight = count) },
  });
  onTestFinished(() => server.close());
  const port = Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port);
  const begin = async (framing: string, ...parts: string[]): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer me\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`,
    );
    for (const part of parts) socket.write(part);
    return socket;
  };
  return { begin, inFlight: () => inFlight(), creates: () => creates };
}

const contentLength = (bytes: number) => `Content-Length: ${bytes}`;
const chunked = 'Transfer-Encoding: chunked';
const chunk = (content: string) => `${content.length.toString(16)}\r\n${content}\r\n`;
const plant = (bytes: number) => `{"id":1,"name":"${'a'.repeat(bytes - 18)}"}`;
const response = async (socket: Socket) => String((await once(socket, 'data'))[0]);
const rejected = /^HTTP\/1\.1 503 Service Unavailable\r\n(?:.*\r\n)*retry-after: 1\r\n(?:.*\r\n)*\r\n\{"error":50302,/;

test('large bodies over the limit are rejected by their Content-Length; small ones never are', async () => {
  const { begin } = await serve();
  const two = [
    await begin(`${contentLength(LARGE)}\r\nExpect: 100-continue`),
    await begin(`${contentLength(LARGE)}\r\nExpect: 100-continue`),
  ];
  for (const socket of two) expect(await response(socket)).toContain('100 Continue');
  expect(await response(await begin(`${contentLength(LARGE)}\r\nExpect: 100-continue`))).toMatch(rejected);
  expect(await response(await begin(contentLength(10_000), plant(10_000)))).toContain('200 OK');
  expect(await response(await begin(chunked, chunk(plant(10_000)), '0\r\n\r\n'))).toContain('200 OK');

  // One is completed, one disconnects: both release their bytes.
  two[0]?.write(plant(LARGE));
  expect(await response(two[0] as Socket)).toContain('200 OK');
  two[1]?.destroy();
  await vi.waitFor(async () =>
    expect(await response(await begin(contentLength(85_000), plant(85_000)))).toContain('200 OK'),
  );
});

test('chunked bodies count as they arrive', async () => {
  const { begin } = await serve();
  const large = 'a'.repeat(LARGE);
  const first = await begin(chunked, chunk(large));
  const second = await begin(chunked, chunk(large));
  const withContentLength = async () => response(await begin(`${contentLength(LARGE)}\r\nExpect: 100-continue`));
  await vi.waitFor(async () => expect(await withContentLength()).toMatch(rejected));

  const rejection = response(second);
  second.write(chunk('a'.repeat(20_000)));
  expect(await rejection).toMatch(rejected);
  // What it still sends is discarded.
  second.write(chunk(large));
  const lengths = response(first);
  first.write('0\r\n\r\n');
  expect(await lengths).toContain('"error":40001');
  await vi.waitFor(async () => expect(await withContentLength()).toContain('100 Continue'));
});

test('of small bodies that do not arrive, the one that began first is refused to make room', async () => {
  const { begin } = await serve();
  const clients = [];
  for (let client = 0; client < 5; client += 1) {
    clients.push(await begin(contentLength(15_000), plant(15_000).slice(0, 14_000)));
    // In this order.
    await setTimeout(20);
  }
  const [first, second, ...others] = clients as [Socket, Socket, ...Socket[]];
  for (const refused of [first, second]) expect(String(refused.read())).toMatch(rejected);
  for (const socket of others) {
    socket.write(plant(15_000).slice(14_000));
    expect(await response(socket)).toContain('200 OK');
  }
});

test('a chunked body over the body limit is rejected as too large, not as overload', async () => {
  const { begin } = await serve();
  const socket = await begin(chunked);
  const rejection = response(socket);
  for (let part = 0; part < 3; part += 1) socket.write(chunk('a'.repeat(45_000)));
  expect(await rejection).toContain('"error":40004');
});

test('a body that is too large by its Content-Length is refused before the client sends it', async () => {
  const { begin } = await serve();
  const refusal = await response(await begin(`${contentLength(90_001)}\r\nExpect: 100-continue`));
  expect(refusal).toMatch(/^HTTP\/1\.1 400 (?:.*\r\n)*\r\n\{"error":40004,/);
  expect(await response(await begin(contentLength(90_000), plant(90_000)))).toContain('200 OK');
});

test('a client without an accepted token reserves no bytes', async () => {
  const verdicts = [false, false, false, true];
  const { begin } = await serve(
    async (subject) => ({ accepted: verdicts.shift() ?? true, subject }) as { accepted: true; subject: string },
  );
  for (let client = 0; client < 3; client += 1)
    expect(await response(await begin(contentLength(85_000)))).toContain('401 Unauthorized');
  expect(await response(await begin(contentLength(85_000), plant(85_000)))).toContain('200 OK');
});

test('a client that disconnects while its token is checked reserves no bytes, and creates nothing', async () => {
  const checked = Promise.withResolvers<void>();
  const { begin, inFlight, creates } = await serve(async (subject) => {
    await checked.promise;
    return { accepted: true, subject };
  });
  const clients = [await begin(contentLength(85_000)), await begin(contentLength(50), plant(50))];
  await vi.waitFor(() => expect(inFlight()).toBe(2));
  for (const client of clients) client.destroy();
  await vi.waitFor(() => expect(inFlight()).toBe(0));
  checked.resolve();
  expect(await response(await begin(contentLength(85_000), plant(85_000)))).toContain('200 OK');
  expect(creates()).toBe(1);
});
