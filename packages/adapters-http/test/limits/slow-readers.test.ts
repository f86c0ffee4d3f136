import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createHttpServer, type HttpServerOptions } from '../../src/index.ts';

const created = { outcome: 'created', plant: { name: 'Fern' } } as const;
const description = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';

async function serve(options: Partial<HttpServerOptions>) {
  let inFlight = () => Number.NaN;
  const lines: Record<string, unknown>[] = [];
  const server = createHttpServer({
    createPlant: async () => created,
    tokens: { verify: async (subject) => ({ accepted: true, subject }) },
    observer: { completed: () => {}, watch: (count) => (inFlight = count) },
    logger: pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) }),
    closeTimeout: 1,
    docs: true,
    ...options,
  });
  onTestFinished(() => server.close());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const create = async () => {
    const answer = await fetch(`${url}/plants`, {
      method: 'POST',
      headers: { authorization: 'Bearer anybody', 'content-type': 'application/json' },
      body: '{"id":1,"name":"Fern"}',
    });
    return answer.status;
  };
  // 1.5 MB.
  const [file = ''] = /docs\/swagger-ui\.\w+\.js/.exec(await (await fetch(`${url}/docs`)).text()) ?? [];
  const notRead = async (socket: Socket) => askForMuch(socket, `/${file}`);
  return { open, create, notRead, inFlight: () => inFlight(), lines };
}

/** Asks for more than what the kernels of both sides take, and reads nothing of it. */
async function askForMuch(socket: Socket, file: string): Promise<void> {
  socket.pause();
  socket.write(`GET ${file} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(20));
}

test('who does not read its answers holds no place', async () => {
  const { open, create, notRead, inFlight } = await serve({ maxRequestsInFlight: 30 });
  for (let stranger = 0; stranger < 4; stranger += 1) await notRead(await open());
  expect(await create()).toBe(200);
  await vi.waitFor(() => expect(inFlight()).toBe(0));
});

test('an answer that is not read in time ends its connection', async () => {
  const { open, create, notRead, lines } = await serve({ responseTimeout: 200 });
  const stranger = await open();
  const closed = new Promise((resolve) => stranger.once('close', resolve));
  await notRead(stranger);
  await vi.waitFor(() => expect(lines).toContainEqual(expect.objectContaining({ cutOff: 1, withinMs: 200 })), 5_000);
  stranger.resume();
  await closed;
  expect(await create()).toBe(200);
});

test('where too many answers are unread, the connection that has kept one for the longest time is cut off', async () => {
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
  expect(await create()).toBe(200);
});

test('a connection with too many pipelined requests gets as many answers, is told so, and is closed', async () => {
  const { open } = await serve({});
  const stranger = await open();
  stranger.write(description.repeat(1_000));
  const said = await text(stranger);
  expect(said.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(100);
  expect(said.match(/HTTP\/1\.1 503 Service Unavailable/g)).toHaveLength(1);
  expect(said.slice(said.lastIndexOf('HTTP/1.1'))).toMatch(/connection: close(?:.*\r\n)*\r\n\{"error":50302,/);
});

test('what is refused before its body has come holds no place while the rest is awaited', async () => {
  const { open, create, inFlight } = await serve({ maxRequestsInFlight: 3 });
  const strangers = await Promise.all(Array.from({ length: 6 }, open));
  for (const stranger of strangers) {
    stranger.write('POST /plants HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n');
    expect(String((await once(stranger, 'data'))[0])).toContain('401 Unauthorized');
    expect(stranger.readyState).toBe('open');
  }
  expect(inFlight()).toBe(0);
  expect(await create()).toBe(200);
});
