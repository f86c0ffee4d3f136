import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clause, Tools } from '@plant-store/contracts-kit';
import { bodyLimitOf, type DeployedService } from '../deployed-service.ts';
import type { ErrorKind } from '../error-numbers.ts';
import { expectNextServed, expectOutcome, expectOutcomes } from '../expectations/exchange.ts';
import {
  create,
  expectCreated,
  expectError,
  expectNotStored,
  expectPlant,
  fail,
  forEachCase,
} from '../expectations/expectations.ts';
import { expectDescribed, readDescription } from '../expectations/published-description.ts';
import { onConnection } from '../http/connection.ts';
import { chunked, chunks, type RawRequest, rawRequest } from '../http/raw-request.ts';
import { saysClose } from '../http/response-parser.ts';
import * as change from '../mutation.ts';
import { aPlant, jsonOf } from '../new-plants.ts';

/** Requests that are incomplete when the response is sent, or that never become complete. */
export const incompleteClauses: readonly Clause<DeployedService, change.HttpMutation>[] = [
  {
    id: 'HC-36',
    since: '2026-12',
    title: 'a response to an incomplete request is the only one, whatever follows of the request',
    check: (service) => forEachCase(earlyResponses(service), (incomplete) => expectOnlyResponse(service, incomplete)),
    mutants: {
      'responds a second time if the rest of a body cannot be read': {
        server(server) {
          const latest = new WeakMap<object, { request: IncomingMessage; response: ServerResponse }>();
          server.prependListener('request', (request, response) => latest.set(request.socket, { request, response }));
          server.prependListener('clientError', (_error, socket) => {
            const { request, response } = latest.get(socket) ?? {};
            if (request?.complete === false && response?.statusCode === 401) change.respond(socket, 400).end();
          });
        },
      },
      'closes after an early response and does not announce it': change.request((request, response) => {
        response.once('finish', () => request.complete || request.socket.end());
      }),
      'takes a rejected body for a request': change.incoming(/( wrong\r\n.*-Length:) \d+/s, '$1 0'),
    },
  },
  {
    id: 'HC-37',
    since: '2026-12',
    title: 'an incomplete request stores nothing',
    check: async (service) => {
      const plant = aPlant();
      await onConnection(service, 'a body without its last byte', async (connection) => {
        connection.send(rawRequest(service, { body: (json) => `${json} ` }, plant).slice(0, -1));
        await expectCreated(service, aPlant());
      });
      // By the time later requests are served, the service has noticed that the incomplete one was aborted.
      for (let time = 1; time <= 3; time += 1) await expectCreated(service, aPlant());
      const response = await create(service, aPlant({ id: plant.id }));
      const action = () => `sent an incomplete request, then ${response.action()}`;
      if (response.status !== 200) fail({ ...response, action }, '200: an incomplete request stores nothing');
    },
    mutants: {
      'treats an incomplete body as complete': {
        incoming: (bytes) =>
          bytes.replace(
            /(Content-Length: )\d+([\s\S]*\r\n\r\n)(\{[^{}]*\})$/,
            (_, name, head, body) => `${name}${body.length}${head}${body}`,
          ),
      },
    },
  },
  {
    id: 'HC-38',
    since: '2026-12',
    title: 'Expect: 100-continue gets 100 Continue, unless the request is rejected; any other expectation is rejected',
    check: async (service) => {
      const plant = aPlant();
      const body = jsonOf(plant);
      const expecting = { Expect: '100-Continue', 'Content-Length': String(body.length) };
      await onConnection(service, 'a head with Expect: 100-continue', async (connection) => {
        connection.send(rawRequest(service, { headers: expecting, body: '' }));
        const interim = await connection.response();
        if (interim.status !== 100) fail(interim, '100 Continue');
        connection.send(body);
        expectPlant(await connection.response(), plant);
        await expectNextServed(connection);
      });
      const rejected = { headers: { ...expecting, Authorization: undefined }, body: '' };
      await expectOutcome(service, 'Expect: 100-continue without a token', rejected, 'missing-token', true);
      const others = ['foo', '100-continue, foo'].map((Expect) => ({ headers: { Expect } }));
      await expectOutcomes(service, 'another expectation', others, 'malformed-http');
    },
    mutants: {
      'ignores Expect: 100-continue': change.header('expect', () => undefined),
      'reads the body before it checks the token, as Node does': {
        server(server) {
          server.removeAllListeners('checkContinue').on('checkContinue', (request, response) => {
            response.writeContinue();
            delete request.headers.expect;
            server.emit('request', request, response);
          });
        },
      },
      'ignores other expectations': change.header('expect', (value) => /^100-Continue$/.exec(`${value}`)?.[0]),
    },
  },
  {
    id: 'HC-39',
    since: '2026-12',
    title:
      'a head that takes longer than 5 s, or a request longer than 10 s, gets 400 as described, and the connection is closed within 1 s more, without a response if nothing was sent; other requests are served',
    // Repeated once, because a stall of this process also looks like a late response.
    check: (service, tools) => checkTimeouts(service, tools).catch(() => checkTimeouts(service, tools)),
    mutants: {
      'waits seven times as long for a head': { options: { headersTimeout: 21_000, requestTimeout: 21_000 } },
      'waits a fifteenth of the time for a head': { options: { headersTimeout: 200 } },
      'waits a fifteenth of the time for a request': { options: { headersTimeout: 200, requestTimeout: 400 } },
      'closes silent connections, but not those with a byte now and then': {
        options: { requestTimeout: 0 },
        server: (http) => void http.setTimeout(change.timeOuts.request),
      },
      'returns 408 to a slow client, as Fastify does': change.parserError(
        change.isTimeout,
        408,
        '{"error":"Request Timeout"}',
      ),
      'returns 400 when nothing was sent': change.parserError((_, { bytesRead }) => bytesRead === 0, 400),
      'does not describe the error of a time-out': change.describing(
        'paths > /plants > post > responses > 400 > content > application/json > examples > request-timeout',
        undefined,
      ),
    },
  },
];

interface EarlyResponse {
  /** The part of a request that gets the response. */
  readonly start: RawRequest;
  readonly kind: ErrorKind;
  /** The bytes sent after the response. */
  readonly rest: string;
  /** Whether the rest is malformed, so that no request can follow it. */
  readonly isMalformed?: true;
}

function earlyResponses(service: DeployedService): readonly EarlyResponse[] {
  // A body that must not be read as a request.
  const inner = rawRequest(service);
  const Authorization = 'Bearer wrong';
  const sized = { headers: { Authorization, 'Content-Length': String(inner.length) }, body: '' };
  const inChunks = { headers: { ...chunked, Authorization }, body: '6\r\n{"id":\r\n' };
  const tooLong = 2 * bodyLimitOf(service);
  const tooLarge = { headers: { 'Content-Length': String(tooLong) }, body: '' };
  return [
    { start: sized, kind: 'token-not-accepted', rest: inner },
    { start: inChunks, kind: 'token-not-accepted', rest: chunks(inner) },
    { start: inChunks, kind: 'token-not-accepted', rest: 'zz\r\n', isMalformed: true },
    { start: tooLarge, kind: 'body-too-large', rest: ' '.repeat(tooLong) },
  ];
}

/** After a response with `close` nothing is served (RFC 9112 section 9.6). After any other, the next request is served. */
function expectOnlyResponse(
  service: DeployedService,
  { start, kind, rest, isMalformed }: EarlyResponse,
): Promise<void> {
  return onConnection(service, 'a request in two parts, the second one after the response', async (connection) => {
    connection.send(rawRequest(service, start));
    const response = await connection.response();
    expectError(response, kind);
    const next = aPlant();
    connection.send(rest + (isMalformed ? '' : rawRequest(service, {}, next)));
    if (!saysClose(response) && !isMalformed) {
      expectPlant(await connection.response(), next);
      return expectNextServed(connection);
    }
    // A response to a malformed body would be the second one to its request.
    await connection.closed();
    await expectNotStored(service, next.id, response);
  });
}

/** A service may check for slow requests once a second. The rest is for the round trip on a busy machine. */
const SLACK_MS = 2_500;

async function checkTimeouts(service: DeployedService, { sleep }: Tools): Promise<void> {
  const { timeOuts = { head: 5_000, request: 10_000 } } = service;
  const description = await readDescription(service);
  const plant = aPlant();
  const request = rawRequest(service, {}, plant);
  const sized = rawRequest(service, { headers: { 'Content-Length': '1000' }, body: '' });
  const inChunks = rawRequest(service, { headers: chunked, body: '' });

  /** Bytes are sent one by one, so that the connection is never idle. */
  const expectTimeout = (what: string, waitsFor: keyof typeof timeOuts, atOnce: string, oneByOne: string) =>
    onConnection(service, what, async (connection) => {
      const bytes = oneByOne[Symbol.iterator]();
      // After a stall of this process the response may be unread, and a byte sent before it is read could lose it.
      const sendNext = () => setImmediate(() => connection.send(bytes.next().value ?? ''));
      connection.send(atOnce);
      const sending = setInterval(sendNext, timeOuts[waitsFor] / 10);
      try {
        const response = await connection.response({ withinMs: timeOuts[waitsFor] + SLACK_MS });
        expectError(response, 'request-timeout');
        expectDescribed(description, response);
        await connection.closed({ withinMs: SLACK_MS });
      } finally {
        clearInterval(sending);
      }
    });

  /** A request with a pause shorter than the time-out is served. */
  const expectServedAfterPause = (waitsFor: keyof typeof timeOuts, splitAt: number) =>
    onConnection(service, `a request with a pause after ${splitAt} bytes`, async (connection) => {
      connection.send(request.slice(0, splitAt));
      await sleep(0.6 * timeOuts[waitsFor]);
      connection.send(request.slice(splitAt));
      expectPlant(await connection.response(), plant);
    });

  await Promise.all([
    expectTimeout('a head, a byte at a time', 'head', '', request),
    expectTimeout('a body, a byte at a time', 'request', sized, ' '.repeat(100)),
    expectTimeout('chunks, a byte at a time', 'request', inChunks, '1\r\n \r\n'.repeat(20)),
    // A response could be mistaken for the response to a request that the client sends at that moment.
    onConnection(service, 'nothing', (connection) => connection.closed({ withinMs: timeOuts.head + SLACK_MS })),
    expectServedAfterPause('head', 40),
    expectServedAfterPause('request', sized.length),
  ]);
}
