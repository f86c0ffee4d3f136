import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { parseResponse, type Response } from '@plant-store/contracts-http/wire';
import { pino } from 'pino';
import { expect } from 'vitest';
import { catalogue, echoServer, request } from '../echo-server.ts';
import { type Read, read } from './reference.ts';

/** Longer than every timeout of the service: a connection that is still open then would stay open. */
const SILENCE_MS = 15_000;

const kinds = new Map(Object.entries(catalogue).map(([kind, { error }]) => [error, kind]));

/** The service, its log, and the errors that would have ended its process. */
export async function startServer() {
  const crashes: unknown[] = [];
  const onCrash = (error: unknown) => void crashes.push(error);
  process.on('uncaughtExceptionMonitor', onCrash).on('unhandledRejection', onCrash);
  const log: string[] = [];
  const app = echoServer({ logger: pino({ level: 'trace' }, { write: (line) => void log.push(line) }) });
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  async function close() {
    await app.close();
    process.off('uncaughtExceptionMonitor', onCrash).off('unhandledRejection', onCrash);
  }
  return { port, crashes, log, close };
}

type Server = Awaited<ReturnType<typeof startServer>>;

/**
 * Sends bytes in these segments, and checks that the responses keep every rule that holds for any bytes.
 *
 * @returns what the responses say: 200 or the kind of the error, and `close` for the last one.
 */
export async function expectSane(server: Server, ...segments: readonly Buffer[]): Promise<readonly string[]> {
  const bytes = Buffer.concat(segments);
  const { requests, rest } = read(bytes);
  const responses = responsesIn(await talk(server.port, segments, requests.at(-1)?.last), requests, rest, bytes);

  const most = requests.length + (rest ? 1 : 0);
  expect(responses.length, 'more responses than requests').toBeLessThanOrEqual(most);
  const summaries = responses.map((response, at) => summaryOf(response, requests[at]));
  const closing = responses.findIndex(saysClose);
  expect([-1, responses.length - 1], 'a response after Connection: close').toContain(closing);
  if (closing < 0) expect(responses.length, 'a request without a response').toBe(most);

  const served = parseResponse(await talk(server.port, [Buffer.from(request({ body: 'served' }))]), false);
  expect(served, 'the next connection').toMatchObject({ status: 200, body: Buffer.from('"served"') });
  expect(server.crashes).toEqual([]);
  for (const line of server.log.splice(0)) {
    expect(line, 'a line of the log is visible ASCII').toMatch(/^[ -~]+\n$/);
    expect(JSON.parse(line)).toMatchObject({ msg: expect.any(String) });
  }
  return summaries;
}

function saysClose({ headers }: Response): boolean {
  return headers.get('connection') === 'close';
}

/** A response to a request that is as it must be: the document, the text that was sent, or an Error record. */
function summaryOf(response: Response, sent: Read | undefined): string {
  const { status, headers } = response;
  const close = saysClose(response) ? ' close' : '';
  const body = response.body.toString();
  expect(headers.get('x-request-id')).toMatch(/^[\w.~:/+=@-]{1,128}$/);
  if (body === '' && (!sent || sent.method === 'HEAD')) {
    expect([200, 400, 404, 405]).toContain(status);
    return `${status}${close}`;
  }
  if (status === 200) {
    // The document does not wait for the rest of a body.
    expect(body).toBe(!sent || sent.asksForDocument ? 'small' : JSON.stringify(sent.text));
    return `200${close}`;
  }
  const { error, message } = JSON.parse(body);
  expect([headers.get('content-type'), typeof message]).toEqual(['application/json', 'string']);
  expect(sent?.text, 'a valid request is rejected').toBeUndefined();
  expect([Math.floor(error / 100), status < 500]).toEqual([status, true]);
  return `${kinds.get(error)}${close}`;
}

/** Every response in the bytes of the service, without 100 Continue. */
function responsesIn(bytes: Buffer, requests: readonly Read[], isMore: boolean, sent: Buffer): readonly Response[] {
  const responses: Response[] = [];
  let interim = 0;
  for (let rest = bytes; rest.length > 0; ) {
    const request = requests[responses.length];
    // Node and the reference may disagree on whether a line that begins with HEAD is a request.
    const mayBeHead = request ? request.method === 'HEAD' : sent.includes('HEAD');
    const whole = parseResponse(rest, false);
    const isRecord = whole.state === 'complete' && whole.body.toString().startsWith('{"error":');
    const parsed = mayBeHead && !isRecord ? parseResponse(rest, true) : whole;
    if (parsed.state !== 'complete') expect.fail(`no valid response: ${JSON.stringify(rest.toString('latin1'))}`);
    if (parsed.status === 100) interim += 1;
    else responses.push(parsed);
    rest = rest.subarray(parsed.length);
  }
  // A request that is cut off after its head may have got 100 Continue as well.
  const most = requests.filter(({ expects }) => expects).length + (isMore ? 1 : 0);
  expect(interim, 'more interim responses than requested').toBeLessThanOrEqual(most);
  return responses;
}

/** Sends the segments one by one, ends its side if the service does not, and reads until the connection is closed. */
async function talk(port: number, segments: readonly Buffer[], isClosed = false): Promise<Buffer> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const received: Buffer[] = [];
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const silence = setTimeout(() => reject(new Error(`the service was silent for ${SILENCE_MS} ms`)), SILENCE_MS);
  // A reset is as good as a close: what counts is whether every response arrived before it.
  socket
    .on('data', (bytes: Buffer) => void received.push(bytes))
    .on('error', resolve)
    .on('close', resolve);
  try {
    for (const segment of segments) {
      if (socket.writable) socket.write(segment);
      await setImmediate();
    }
    if (!isClosed) socket.end();
    await ended;
    return Buffer.concat(received);
  } finally {
    clearTimeout(silence);
    socket.destroy();
  }
}
