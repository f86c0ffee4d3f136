import type { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { requireJson } from '../src/index.ts';
import { chunk, request, response, serve } from './echo-server.ts';

const sized = (text: string, sent = text) => request({ more: [`Content-Length: ${text.length}`], body: sent });
const large = 'a'.repeat(100_000);

test.each([
  ['with its head', [sized('a'.repeat(30))]],
  ['after its head', [sized('Fern', ''), 'Fern']],
  ['in two pieces', [sized('Fern', 'Fe'), 'rn']],
  ['in many pieces, as large as it may be', [sized(large, ''), large]],
])('a body that comes %s is read to its end, on one connection as on another', async (_, [first = '', ...rest]) => {
  const [check, work] = [vi.fn(async () => {}), vi.fn(async (text: string) => String(text.length))];
  const { open } = await serve({ check, work, bodyLimit: 100_000 });
  const socket = await open();
  for (let time = 1; time <= 2; time += 1) {
    const received = response(socket, first);
    await vi.waitFor(() => expect(check).toHaveBeenCalledTimes(time));
    for (const piece of rest) socket.write(piece);
    expect(await received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(work.mock.calls.at(-1)).toEqual([(first + rest.join('')).replace(/^.*\r\n\r\n/s, '')]);
  }
});

test('a body in chunks of a byte, which nobody reads while its client is checked, is kept in two pieces', async () => {
  const checked = Promise.withResolvers<void>();
  const { open, app } = await serve({ check: () => checked.promise });
  const pieces: number[] = [];
  const ended = vi.fn();
  app.server.on('request', (raw: IncomingMessage) => {
    const { push } = raw;
    raw.push = (piece) => {
      if (piece === null) ended();
      return push.call(raw, piece);
    };
    void checked.promise.then(() => raw.on('data', ({ length }) => pieces.push(length)));
  });
  const socket = await open(
    request({ more: ['Transfer-Encoding: chunked'], body: chunk('a').repeat(250) }),
    '0\r\n\r\n',
  );
  await vi.waitFor(() => expect(ended).toHaveBeenCalled());
  checked.resolve();
  expect(await response(socket)).toMatch(/^HTTP\/1\.1 200 /);
  expect(pieces).toEqual([1, 249]);
});

test.each(['; ', ' '])('a Content-Type with thousands of «%s» is refused at once', (many) => {
  const refuse = () => requireJson({ 'content-type': `application/json${many.repeat(12_000)}x` });
  // While an expression backtracks, no timer of a test fires.
  expect(() => runInNewContext('refuse()', { refuse }, { timeout: 1_000 })).toThrow('send the body as');
});

test('an idle connection keeps nothing of its last exchange', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const { open, app } = await serve();
  const requests: WeakRef<IncomingMessage>[] = [];
  app.server.on('request', (raw) => requests.push(new WeakRef(raw)));
  expect(await response(await open(), request())).toContain('200 OK');
  await vi.waitFor(() => {
    collect();
    expect(requests.map((each) => each.deref()?.url)).toEqual([undefined]);
  });
});
