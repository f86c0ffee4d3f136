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

/** Sends bytes in these segments, and holds what comes back to everything that is promised of any bytes whatsoever. */
export async function expectSane(
  server: EdgeServer,
  description: PublishedDescription,
  segments: readonly Buffer[],
): Promise<void> {
  const bytes = Buffer.concat(segments);
  const reading = read(bytes);
  const answers = readAnswers(server, bytes, await talk(server.port, segments), reading);

  const most = reading.requests.length + (reading.rest ? 1 : 0);
  expect(answers.length, 'more answers than requests').toBeLessThanOrEqual(most);
  for (const [at, answer] of answers.entries()) expectRight(answer, reading.requests[at], description);
  const closing = answers.findIndex(saysClose);
  expect([-1, answers.length - 1], 'an answer behind the last one').toContain(closing);
  if (closing < 0) expect(answers.length, 'a request without an answer').toBe(most);

  await expectServing(server);
  expect(server.crashes).toEqual([]);
}

/** A good request must be answered as ever, on a connection of its own. */
async function expectServing(server: EdgeServer): Promise<void> {
  served += 1n;
  const body = `{"id":${served},"name":"served"}`;
  const head = `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.service.token}\r\n`;
  const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const answer = parseResponse(await talk(server.port, [Buffer.from(head + type + body)]), false);
  expect(answer).toMatchObject({ state: 'complete', status: 200, body: Buffer.from('{"name":"served"}') });
}

/** Ids that no example has by chance. */
let served = 4_000_000_000_000_000_000n;

function readAnswers(
  server: EdgeServer,
  sent: Buffer,
  bytes: Buffer,
  { requests, rest: unread }: Reading,
): HttpResponse[] {
  const answers: HttpResponse[] = [];
  const action = `sent ${JSON.stringify(sent.toString('latin1'))}`;
  let interim = 0;
  for (let rest = bytes; rest.length > 0; ) {
    const request = requests[answers.length];
    // A line that begins with HEAD may be no request for Node, or one where the reader here has read none.
    const mayBeHead = request ? request.method === 'HEAD' : sent.includes('HEAD');
    const whole = parseResponse(rest, false);
    const response = mayBeHead && !hasErrorRecord(whole) ? parseResponse(rest, true) : whole;
    if (response.state !== 'complete') expect.fail(`no good response: ${JSON.stringify(rest.toString('latin1'))}`);
    const { status, headers, body, length } = response;
    if (status === 100) interim += 1;
    else answers.push({ service: server.service, action, status, headers, body });
    rest = rest.subarray(length);
  }
  // One that breaks off behind its head may have been told to continue as well.
  const most = requests.filter((request) => request.expects).length + (unread ? 1 : 0);
  expect(interim, 'more interim answers than asked for').toBeLessThanOrEqual(most);
  return answers;
}

function hasErrorRecord(response: Parsed): boolean {
  return response.state === 'complete' && response.body.toString().startsWith('{"error":');
}

function expectRight(answer: HttpResponse, request: ReadRequest | undefined, description: PublishedDescription): void {
  const { status, body } = answer;
  if (request?.method === 'HEAD' || (!request && body.length === 0))
    return void expect([200, 400, 404, 405]).toContain(status);
  if (status === 200 && request?.asksForDescription) return;
  const record = JSON.parse(Buffer.from(body).toString()) as Readonly<Record<string, unknown>>;
  if (status === 200) {
    if (!request?.plant) throw new Error(`answered 200 to what is no good request: ${answer.action}`);
    const { id: _, ...plant } = request.plant;
    expect(record).toEqual(plant);
    expectDescribed(description, answer, toThePlants);
    return;
  }
  expect(status).toBeLessThan(500);
  expect(numbersOf(status)).toContain(record['error']);
  expectDescribed(description, answer, status === 404 || status === 405 ? toAnythingElse : toThePlants);
  if (request?.plant) expect(record['error'], 'refused a good request').toBe(errorCatalogue['id-taken'].error);
}

function numbersOf(status: number): number[] {
  return Object.values(errorCatalogue)
    .map(({ error }) => error)
    .filter((error) => Math.floor(error / 100) === status);
}
