import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { connectionOf } from '@plant-store/http-edge';
import { expect, onTestFinished, test, vi } from 'vitest';
import { plantServer } from '../plant-server.ts';

async function serve(check = async () => {}) {
  const requests: IncomingMessage[] = [];
  const app = plantServer({
    tokens: {
      verify: async (subject) => {
        await check();
        return { accepted: true, subject };
      },
    },
    bodyLimit: 100_000,
    closeTimeout: 1,
  });
  app.addHook('onRequest', async ({ raw }) => void requests.push(raw));
  onTestFinished(() => app.close());
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  return { requests, client: () => connect(port, '127.0.0.1') };
}

const head =
  'POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer me\r\nContent-Type: application/json\r\nContent-Length: ';
const plant = (bytes: number) => `{"id":1,"name":"${'a'.repeat(bytes - 18)}"}`;

test.each([
  ['with its head', [`${head}30\r\n\r\n${plant(30)}`]],
  ['after its head', [`${head}30\r\n\r\n`, plant(30)]],
  ['in two pieces', [`${head}30\r\n\r\n${plant(30).slice(0, 7)}`, plant(30).slice(7)]],
  ['in many pieces, as large as it may be', [`${head}100000\r\n\r\n`, plant(100_000)]],
])('a body that comes %s is read to its end, and an idle connection keeps nothing of it', async (_, pieces) => {
  const { requests, client } = await serve();
  const socket = client();
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.on('data', (bytes) => (received += bytes));
  for (const piece of pieces) {
    socket.write(piece);
    await setTimeout(20);
  }
  await vi.waitFor(() => expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/));
  const [request] = requests as [IncomingMessage];
  await vi.waitFor(() => expect(request.readableEnded).toBe(true));
  await vi.waitFor(() => expect(connectionOf(request.socket).latest).toBeUndefined());
});

test('a body in chunks of a byte, which nobody reads while the token is checked, is kept in two pieces', async () => {
  const checked = Promise.withResolvers<void>();
  const { requests, client } = await serve(() => checked.promise);
  const socket = client();
  onTestFinished(() => void socket.destroy());
  socket.write(head.replace(/Content-Length: $/, 'Transfer-Encoding: chunked\r\n\r\n'));
  const chunks = Array.from(plant(250), (byte) => `1\r\n${byte}\r\n`);
  for (const part of [chunks.slice(0, 90), chunks.slice(90), ['0\r\n\r\n']]) {
    socket.write(part.join(''));
    await setTimeout(20);
  }
  const pieces: number[] = [];
  requests[0]?.on('data', ({ length }) => pieces.push(length));
  checked.resolve();
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
  expect(pieces).toEqual([1, 249]);
});

test('a method that Fastify does not know has one response, though its body ends too early', async () => {
  const { client } = await serve();
  const socket = client();
  socket.end('PLAY /plants RTSP/1.0\r\nHost: x\r\nContent-Length: 10\r\n\r\nab');
  expect((await text(socket)).match(/HTTP\/1\.1 /g)).toHaveLength(1);
});
