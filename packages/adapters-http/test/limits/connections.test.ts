import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CreatePlant, TokenVerifier } from '@plant-store/domain';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { plantServer } from '../plant-server.ts';

const tokens: TokenVerifier = { verify: async (subject) => ({ accepted: true, subject }) };
const created = { outcome: 'created', plant: { name: 'Fern' } } as const;
const body = '{"id":1,"name":"Fern"}';
const request =
  'POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer anybody\r\nContent-Type: application/json\r\n' +
  `Content-Length: ${body.length}\r\n\r\n${body}`;

async function serve(maxConnections: number, createPlant: CreatePlant = async () => created) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const server = plantServer({ useCases: { createPlant }, tokens, maxConnections, logger, closeTimeout: 1 });
  onTestFinished(() => server.close());
  const port = Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port);
  const open = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { open, lines };
}

/** Sends a request and waits for its response. */
async function served(socket: Socket): Promise<string> {
  socket.write(request);
  const [response] = await once(socket, 'data');
  return String(response);
}

test('at the limit, a new connection replaces the one that has been idle longest', async () => {
  const { open, lines } = await serve(3);
  const [first, second, third] = [await open(), await open(), await open()];
  for (const socket of [second, first, third]) expect(await served(socket)).toContain('200 OK');
  const closed = vi.fn();
  first.on('close', () => closed('first'));
  second.on('close', () => closed('second'));
  third.on('close', () => closed('third'));

  const fourth = await open();
  expect(await served(fourth)).toContain('200 OK');
  await vi.waitFor(() => expect(closed.mock.calls).toEqual([['second']]));
  for (const socket of [first, third, fourth]) expect(await served(socket)).toContain('200 OK');
  await vi.waitFor(() => expect(lines).toHaveLength(1), 3_000);
  expect(lines[0]).toMatchObject({ level: 40, maxConnections: 3, closedIdle: 1, refused: 0, dropped: 0 });
});

test('if none is idle, the new connection gets a 503, and the others stay open', async () => {
  const response = Promise.withResolvers<typeof created>();
  const createPlant = vi.fn<CreatePlant>(() => response.promise);
  const { open, lines } = await serve(2, createPlant);
  const busy = [await open(), await open()];
  const responses = busy.map((socket) => served(socket));
  await vi.waitFor(() => expect(createPlant).toHaveBeenCalledTimes(2));

  const rejected = await open();
  // What it sends nevertheless is not read, and gets no response of its own.
  rejected.write(request);
  const said = await text(rejected);
  expect(said).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n(?:.*\r\n)*retry-after: 1\r\n/);
  expect(said).toMatch(/\r\nconnection: close\r\n(?:.*\r\n)*\r\n\{"error":50302,"message":"[^"]+"\}$/);
  expect(createPlant).toHaveBeenCalledTimes(2);

  response.resolve(created);
  for (const each of await Promise.all(responses)) expect(each).toContain('200 OK');
  expect(await served(await open())).toContain('200 OK');
  await vi.waitFor(() => expect(lines).toHaveLength(1), 3_000);
  expect(lines[0]).toMatchObject({ refused: 1 });
});

test('a connection with pipelined requests is idle when the last of them is completed', async () => {
  const second = Promise.withResolvers<typeof created>();
  const createPlant = vi.fn<CreatePlant>().mockResolvedValueOnce(created).mockReturnValue(second.promise);
  const { open } = await serve(1, createPlant);
  const busy = await open();
  busy.write(request + request);
  await once(busy, 'data');
  await vi.waitFor(() => expect(createPlant).toHaveBeenCalledTimes(2));
  expect(await text(await open())).toContain('"error":50302');
  second.resolve(created);
  await once(busy, 'data');
});
