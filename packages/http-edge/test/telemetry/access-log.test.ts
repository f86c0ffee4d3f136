import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { HttpError, retryLater } from '../../src/index.ts';
import { get, request, response, serve } from '../echo-server.ts';

const unavailable = new HttpError('overloaded', 'retry', retryLater, 'the server hangs');

test('each request is one line, with its fields and why it failed, and neither credentials nor body', async () => {
  const work = vi.fn(async () => 'done').mockRejectedValueOnce(unavailable);
  const { open, lines } = await serve({ work });
  const secret = { line: 'POST /echo?key=s3cret HTTP/1.1', credentials: 'Authorization: s3cret', body: 's3cret' };
  const socket = await open();
  await response(socket, request({ ...secret, more: ['X-Request-Id: mine'] }));
  await response(socket, request({ ...secret }));
  const line = { reqId: expect.any(String), method: 'POST', path: '/echo', ms: expect.any(Number) };
  const always = { time: expect.any(Number), pid: expect.any(Number), hostname: expect.any(String) };
  const failed = { level: 40, status: 503, error: 50_307, reason: 'the server hangs' };
  await vi.waitFor(() =>
    expect(lines).toEqual([
      { ...always, ...line, ...failed, reqId: 'mine', msg: 'request completed' },
      { ...always, ...line, level: 30, status: 200, msg: 'request completed' },
    ]),
  );
});

test.each(['/echo', '/%zz', '/nowhere', '', '?to=s3cret'])(
  'of http://user:s3cret@x%s it has the path, without what may be secret',
  async (path) => {
    const { open, lines } = await serve();
    await text(await open(request({ line: `POST http://user:s3cret@x${path} HTTP/1.1`, more: ['Connection: close'] })));
    await vi.waitFor(() => expect(lines).toMatchObject([{ path: path.startsWith('/') ? path : '/' }]));
    expect(JSON.stringify(lines)).not.toContain('s3cret');
  },
);

test('it says that a client aborted its request, and then the 503 that it would have got', async () => {
  const done = Promise.withResolvers<never>();
  const work = vi.fn(() => done.promise);
  const { open, lines } = await serve({ work });
  const client = await open(request({ more: ['X-Request-Id: impatient'] }));
  await vi.waitFor(() => expect(work).toHaveBeenCalled());
  client.destroy();
  const aborted = expect.objectContaining({ reqId: 'impatient', path: '/echo', msg: 'request aborted' });
  await vi.waitFor(() => expect(lines).toEqual([aborted]));
  expect(lines[0]).not.toHaveProperty('status');
  done.reject(unavailable);
  const failed = expect.objectContaining({ level: 40, reqId: 'impatient', error: 50_307, reason: 'the server hangs' });
  await vi.waitFor(() => expect(lines).toEqual([aborted, failed]));
});

test('it does not blame the client for a request that the service cut off at shutdown', async () => {
  const work = vi.fn(() => new Promise<string>(() => {}));
  const { app, open, lines } = await serve({ work });
  await open(request());
  await vi.waitFor(() => expect(work).toHaveBeenCalled());
  await app.close();
  const reason = 'the service closed the connection: it is shutting down';
  await vi.waitFor(() => expect(lines).toEqual([expect.objectContaining({ msg: 'request aborted', reason })]));
});

test('it has the cause of an internal error, which the client is not told', async () => {
  const { open, lines } = await serve({ work: () => Promise.reject(new TypeError('secret_table')) });
  expect(await response(await open(), request())).toMatch(/ 500 (?!.*secret_table)/s);
  const completed = { level: 30, status: 500, reason: expect.stringContaining('"internal error"') };
  await vi.waitFor(() =>
    expect(lines).toMatchObject([{ level: 50, msg: 'internal error', err: { message: 'secret_table' } }, completed]),
  );
});

test.each([
  ['what is no HTTP', 'no HTTP\r\n\r\n', { msg: 'malformed request rejected' }],
  ['more after a last request', get('/').replace('x', 'x\r\nConnection: close'), { msg: 'request completed' }],
  [
    'a request whose body turns out to be malformed',
    request({ more: ['Transfer-Encoding: chunked', 'X-Request-Id: torn'], body: '1\r\n{\r\nno size\r\n' }),
    { reqId: 'torn', error: 40_007, reason: expect.stringContaining('(HPE_INVALID_CHUNK_SIZE)') },
  ],
])('%s is one line, however many bytes follow', async (_, bytes, line) => {
  const { open, lines } = await serve();
  const socket = (await open(bytes)).pause();
  for (let sent = 0; sent < 50 && !socket.destroyed; sent += 1) {
    socket.write('!');
    await sleep(1);
  }
  await text(socket).catch(() => {});
  await vi.waitFor(() => expect(lines).toMatchObject([line]));
});

test('a malformed body whose request was refused already does not take the responses of earlier requests with it', async () => {
  const done = Promise.withResolvers<string>();
  const { open, app } = await serve({ work: () => done.promise });
  const received = vi.fn<(request: IncomingMessage, response: ServerResponse) => void>();
  app.server.on('request', received);
  const chunked = request({ credentials: '', more: ['Transfer-Encoding: chunked'], body: '1\r\n{\r\n' });
  const socket = await open(request(), chunked);
  // The refusal waits behind the first response.
  await vi.waitFor(() => expect(received.mock.calls[1]?.[1].headersSent).toBe(true));
  const malformed = once(app.server, 'clientError');
  socket.write('no size\r\n');
  await malformed;
  done.resolve('done');
  expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401']);
});
