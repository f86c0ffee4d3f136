import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { request } from '../echo-server.ts';
import { mutatedRequests } from './generated.ts';
import { oddRequests, unfinished } from './odd-requests.ts';
import { expectSane, startServer } from './sane.ts';

/** The same examples in every run, in `test:all` ten times as many; a nightly job sets a random seed. */
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const numRuns = Number(process.env['FUZZ_RUNS'] ?? (process.env['TEST_EXHAUSTIVE'] === '1' ? 2_000 : 200));
const timeout = 30_000 + 30 * numRuns;

let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

const last = request({ more: ['Connection: close'] });

test.each(oddRequests)(
  '%s has its responses; then the connection is closed or serves the next request',
  async (_, bytes, ...expected) => {
    const responses = expected.at(-1)?.endsWith(' close') ? expected : [...expected, '200 close'];
    expect(await expectSane(server, Buffer.from(bytes + last, 'latin1'))).toEqual(responses);
  },
);

// The service waits for a second for what the client does not send.
test.concurrent.each(unfinished)(
  '%s that the client does not finish has its responses',
  async (_, bytes, ...expected) => {
    expect(await expectSane(server, Buffer.from(bytes, 'latin1'))).toEqual(expected);
  },
);

describe('whatever the bytes, each request gets one response, an Error record or the requested content, and the service keeps running', () => {
  const short = [...oddRequests, ...unfinished].filter(([, bytes]) => bytes.length < 1_000);
  test.concurrent.each(short)('%s, a byte at a time', async (_, bytes) => {
    await expectSane(server, ...Array.from(bytes, (byte) => Buffer.from(byte, 'latin1')));
  });

  test(`mutated requests (FUZZ_SEED=${seed})`, { timeout }, async () => {
    const property = fc.asyncProperty(
      mutatedRequests(),
      async (segments) => void (await expectSane(server, ...segments)),
    );
    await fc.assert(property, { seed, numRuns });
  });
});

test.each([
  ['after CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['after a malformed request', 'garbage\r\n\r\n'],
  ['within a body', request({ more: ['Content-Length: 9'] })],
])('a connection that is reset %s does not end the process', async (_where, bytes) => {
  for (let time = 0; time < 20; time += 1) {
    const closed = Promise.withResolvers<unknown>();
    const socket = connect({ port: server.port, host: '127.0.0.1' })
      .on('error', closed.reject)
      .on('close', closed.resolve);
    socket.write(bytes, () => socket.resetAndDestroy());
    await closed.promise;
  }
  expect(server.crashes).toEqual([]);
});
