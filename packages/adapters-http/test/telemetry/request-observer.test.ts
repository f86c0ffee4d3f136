import { once } from 'node:events';
import { connect } from 'node:net';
import type { TokenVerifier } from '@plant-store/domain';
import type { RequestObserver, RequestSpan } from '@plant-store/http-edge';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type PlantServerOptions, plantServer } from '../plant-server.ts';

const context = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), flags: 1 };

const tokens: TokenVerifier = { verify: async () => ({ accepted: true, subject: 'anybody' }) };

async function serve(observer: Partial<RequestObserver>, options: PlantServerOptions = {}) {
  const app = plantServer({
    tokens,
    observer: { completed() {}, watch() {}, ...observer },
    ...options,
  });
  onTestFinished(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const headers = { authorization: 'Bearer sesame', 'content-type': 'application/json' };
  const create = (body: string) => fetch(`${url}/plants`, { method: 'POST', headers, body });
  return { url, create, close: () => app.close() };
}

/** Sends bytes and waits until the server has closed the connection. */
async function send(url: string, bytes: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end(bytes);
  await once(socket.resume(), 'close');
}

test('each response is observed once, whichever part sends it', async () => {
  const completed = vi.fn<RequestObserver['completed']>();
  const { url, create } = await serve({ completed });
  await create('{"id":1,"name":"Fern"}');
  await create('{');
  await fetch(`${url}/openapi.json`);
  await fetch(`${url}/%zz`);
  await send(url, 'MKCOL /plants HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await send(url, 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
  await send(url, 'garbage\r\n\r\n');
  await send(url, 'POST /plants HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n');
  await vi.waitFor(() => expect(completed).toHaveBeenCalledTimes(8));
  expect(completed.mock.calls.map(([method, route, status]) => [method, route, status])).toEqual([
    ['POST', '/plants', 200],
    ['POST', '/plants', 400],
    ['GET', '/openapi.json', 200],
    ['GET', undefined, 400],
    ['_OTHER', undefined, 405],
    ['CONNECT', undefined, 400],
    ['_OTHER', undefined, 400],
    ['POST', '/plants', expect.toBeOneOf([400, 401])],
  ]);
  // Only a request that could be parsed has a duration.
  const durations = completed.mock.calls.map(([, , , seconds]) => seconds);
  expect(durations.map((seconds) => seconds !== undefined && seconds < 10)).toEqual([
    ...Array.from({ length: 5 }, () => true),
    false,
    false,
    true,
  ]);
});

test.each(['/plants', '/%zz', '/nowhere', '', '?to=s3cret'])(
  'of http://user:s3cret@x%s the log has only the path',
  async (path) => {
    const lines: string[] = [];
    const completed = vi.fn<RequestObserver['completed']>();
    const { url } = await serve({ completed }, { logger: pino({}, { write: (line) => void lines.push(line) }) });
    await send(url, `POST http://user:s3cret@x${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    await vi.waitFor(() => expect(lines.join('')).toContain('"msg":"request completed"'));
    const log = lines.join('');
    expect(log).toContain(`"path":"${path.startsWith('/') ? path : '/'}"`);
    expect(log).not.toContain('s3cret');
    expect(completed.mock.calls[0]?.[1]).toBe(path === '/plants' ? '/plants' : undefined);
  },
);

test('the number of requests in flight can be read at any time', async () => {
  let inFlight = () => -1;
  const stored = Promise.withResolvers<{ outcome: 'created'; plant: { name: string } }>();
  const { create } = await serve(
    {
      watch: (count) => {
        inFlight = count;
      },
    },
    { useCases: { createPlant: () => stored.promise } },
  );
  expect(inFlight()).toBe(0);
  const responses = [create('{"id":1,"name":"Fern"}'), create('{"id":2,"name":"Fern"}')];
  await vi.waitFor(() => expect(inFlight()).toBe(2));
  stored.resolve({ outcome: 'created', plant: { name: 'Fern' } });
  await Promise.all(responses);
  await vi.waitFor(() => expect(inFlight()).toBe(0));
});

test('a span ends with its request, even if the client has disconnected', async () => {
  const ends: (number | undefined)[] = [];
  const parts: string[] = [];
  const span: RequestSpan = {
    context,
    part(name, work) {
      parts.push(name);
      return work();
    },
    end: (status) => void ends.push(status),
  };
  const { url, create } = await serve({ startSpan: () => span });
  await create('{"id":1,"name":"Fern"}');
  await create('{"id":1,"name":"Moss"}');
  await vi.waitFor(() => expect(ends).toEqual([200, 400]));
  expect(parts).toEqual(['CreatePlant', 'CreatePlant']);

  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    'POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sesame\r\nContent-Type: application/json\r\n' +
      'Content-Length: 100\r\nExpect: 100-continue\r\n\r\n{',
  );
  await once(socket, 'data');
  socket.destroy();
  await vi.waitFor(() => expect(ends).toHaveLength(3));
  expect(ends[2]).not.toBe(200);
});

test.each([
  ['the client', false],
  ['the service', true],
] as const)('a span whose connection was closed by %s says so', async (who, isCutOff) => {
  const end = vi.fn<RequestSpan['end']>();
  const span: RequestSpan = {
    context,
    part: (_, work) => work(),
    end,
  };
  const started = Promise.withResolvers<void>();
  const { url, close } = await serve(
    { startSpan: () => span },
    {
      useCases: {
        createPlant: () => {
          started.resolve();
          return new Promise(() => {});
        },
      },
      closeTimeout: 1,
    },
  );
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.write(
    'POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sesame\r\nContent-Type: application/json\r\n' +
      'Content-Length: 22\r\n\r\n{"id":1,"name":"Fern"}',
  );
  await started.promise;
  if (who === 'the client') socket.destroy();
  else await close();
  await vi.waitFor(() => expect(end.mock.calls).toEqual([[undefined, isCutOff]]));
});
