import {
  expectDescribed,
  type HttpResponse,
  type Parsed,
  type PublishedDescription,
  parseResponse,
  saysClose,
  toAnythingElse,
  toThePlants,
} from '@plant-store/contracts-http/wire';
import { expect } from 'vitest';
import { errorCatalogue } from '../../src/errors/catalogue.ts';
import type { EdgeServer } from './edge-server.ts';
import { type Reading, type ReadRequest, read } from './reference-reading.ts';
import { talk } from './talk.ts';

/** Sends bytes in these segments, and checks that the responses keep every rule that holds for any bytes. */
export async function expectSane(
  server: EdgeServer,
  description: PublishedDescription,
  segments: readonly Buffer[],
): Promise<void> {
  const bytes = Buffer.concat(segments);
  const reading = read(bytes);
  const responses = readResponses(server, bytes, await talk(server.port, segments), reading);

  const most = reading.requests.length + (reading.rest ? 1 : 0);
  expect(responses.length, 'more responses than requests').toBeLessThanOrEqual(most);
  for (const [at, response] of responses.entries()) expectValid(response, reading.requests[at], description);
  const closing = responses.findIndex(saysClose);
  expect([-1, responses.length - 1], 'a response after Connection: close').toContain(closing);
  if (closing < 0) expect(responses.length, 'a request without a response').toBe(most);

  await expectServing(server);
  expect(server.crashes).toEqual([]);
  expectPlainLog(server);
}

/** Whoever reads the log, on a terminal too, sees one line of visible ASCII for each, whatever was sent, and no token. */
function expectPlainLog({ log, service }: EdgeServer): void {
  expect(log.length, 'a line for the last request').toBeGreaterThan(0);
  for (const line of log.splice(0)) {
    expect(line).toMatch(/^[ -~]+\n$/);
    expect(JSON.parse(line)).toMatchObject({ msg: expect.any(String) });
    expect(line).not.toContain(service.token);
  }
}

/** A valid request on a new connection must succeed as usual. */
async function expectServing(server: EdgeServer): Promise<void> {
  served += 1n;
  const body = `{"id":${served},"name":"served"}`;
  const head = `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.service.token}\r\n`;
  const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const response = parseResponse(await talk(server.port, [Buffer.from(head + type + body)]), false);
  expect(response).toMatchObject({ state: 'complete', status: 200, body: Buffer.from('{"name":"served"}') });
}

/** Ids that no example uses. */
let served = 4_000_000_000_000_000_000n;

function readResponses(
  server: EdgeServer,
  sent: Buffer,
  bytes: Buffer,
  { requests, rest: unread }: Reading,
): HttpResponse[] {
  const responses: HttpResponse[] = [];
  const action = () => `sent ${JSON.stringify(sent.toString('latin1'))}`;
  let interim = 0;
  for (let rest = bytes; rest.length > 0; ) {
    const request = requests[responses.length];
    // Node and the reader here may disagree on whether a line that begins with HEAD is a request.
    const mayBeHead = request ? request.method === 'HEAD' : sent.includes('HEAD');
    const whole = parseResponse(rest, false);
    const response = mayBeHead && !hasErrorRecord(whole) ? parseResponse(rest, true) : whole;
    if (response.state !== 'complete') expect.fail(`no valid response: ${JSON.stringify(rest.toString('latin1'))}`);
    const { status, headers, body, length } = response;
    if (status === 100) interim += 1;
    else responses.push({ service: server.service, action, status, headers, body });
    rest = rest.subarray(length);
  }
  // A request that is cut off after its head may have got 100 Continue as well.
  const most = requests.filter((request) => request.expects).length + (unread ? 1 : 0);
  expect(interim, 'more interim responses than requested').toBeLessThanOrEqual(most);
  return responses;
}

function hasErrorRecord(response: Parsed): boolean {
  return response.state === 'complete' && response.body.toString().startsWith('{"error":');
}

function expectValid(
  response: HttpResponse,
  request: ReadRequest | undefined,
  description: PublishedDescription,
): void {
  const { status, body } = response;
  if (request?.method === 'HEAD' || (!request && body.length === 0))
    return void expect([200, 400, 404, 405]).toContain(status);
  if (status === 200 && request?.asksForDescription) return;
  const record = JSON.parse(Buffer.from(body).toString()) as Readonly<Record<string, unknown>>;
  if (status === 200) {
    if (!request?.plant) throw new Error(`200 for an invalid request: ${response.action()}`);
    const { id: _, ...plant } = request.plant;
    expect(record).toEqual(plant);
    expectDescribed(description, response, toThePlants);
    return;
  }
  expect(status).toBeLessThan(500);
  expect(numbersOf(status)).toContain(record['error']);
  expectDescribed(description, response, status === 404 || status === 405 ? toAnythingElse : toThePlants);
  if (request?.plant) expect(record['error'], 'rejected a valid request').toBe(errorCatalogue['id-taken'].error);
}

function numbersOf(status: number): number[] {
  return Object.values(errorCatalogue)
    .map(({ error }) => error)
    .filter((error) => Math.floor(error / 100) === status);
}
