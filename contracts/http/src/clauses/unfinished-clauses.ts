import type { Clause } from '@plant-store/contracts-kit';
import { bodyLimitOf, expectLimitInReach } from '../body-limit.ts';
import type { DeployedService } from '../deployed-service.ts';
import {
  create,
  expectCreated,
  expectError,
  expectNotStored,
  expectPlant,
  fail,
} from '../expectations/expectations.ts';
import { type Connection, onConnection } from '../http/connection.ts';
import { type HttpResponse, saysClose } from '../http/http-response.ts';
import { chunked, exchange, expectServed, rawRequest } from '../http/raw-request.ts';
import { aPlant, jsonOf } from '../new-plants.ts';
import { chunk } from './framing-cases.ts';

/** Requests that are incomplete when the response is sent, or for ever. */
export const unfinishedClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-57',
    title: 'an early response to an unfinished request is the only one, whatever the rest is',
    check: async (service) => {
      expectLimitInReach(service);
      for (const unfinished of earlyResponses(service)) await expectOnlyResponse(service, unfinished);
    },
  },
  {
    id: 'HC-58',
    title: 'an incomplete request stores nothing',
    check: async (service) => {
      for (const leave of [finishAndListen, async () => {}]) {
        const plant = aPlant();
        const body = jsonOf(plant);
        await onConnection(service, 'a body without its last byte', async (connection) => {
          connection.send(rawRequest(service, { headers: { 'Content-Length': String(body.length + 1) }, body }));
          await expectCreated(service, aPlant());
          await leave(connection);
        });
        // Served after it, so that the incomplete one has been handled by then.
        for (let time = 1; time <= 3; time += 1) await expectCreated(service, aPlant());
        const other = aPlant({ id: plant.id });
        const response = await create(service, other);
        if (response.status !== 200)
          fail(
            { ...response, action: () => `sent an incomplete request, then ${response.action()}` },
            '200: an incomplete request stores nothing',
          );
      }
    },
  },
  {
    id: 'HC-59',
    title: 'Expect: 100-continue is met, but not for a body that will not be read; any other expectation is refused',
    check: async (service) => {
      const plant = aPlant();
      const body = jsonOf(plant);
      const expecting = { Expect: '100-continue', 'Content-Length': String(body.length) };
      await onConnection(service, 'a head with Expect: 100-continue', async (connection) => {
        connection.send(rawRequest(service, { headers: expecting, body: '' }));
        const interim = await connection.response();
        if (interim.status !== 100) fail(interim, '100 Continue');
        connection.send(body);
        expectPlant(await connection.response(), plant);
        await expectServed(connection);
      });
      await onConnection(
        service,
        'the same plant again, with Expect: 100-continue and without waiting for it',
        async (connection) => {
          connection.send(rawRequest(service, { headers: { Expect: '100-Continue' }, body }));
          expectPlant(await lastOf(connection), plant);
          await expectServed(connection);
        },
      );
      const refused = rawRequest(service, { headers: { ...expecting, Authorization: undefined }, body: '' });
      const response = await exchange(service, 'Expect: 100-continue without a token', refused, { mustClose: true });
      expectError(response, 'missing-token');
      for (const expectation of ['foo', '100-continue, foo', '200-ok']) {
        const bytes = rawRequest(service, { headers: { Expect: expectation } });
        expectError(await exchange(service, `Expect: ${expectation}`, bytes), 'malformed-http');
      }
    },
  },
];

interface Unfinished {
  /** What gets the response before the rest is sent. */
  readonly start: string;
  readonly kind: 'token-not-accepted' | 'body-too-large';
  readonly rest: string;
  /** Where the rest is malformed, so that no valid request can follow it. */
  readonly malformed?: 'in the body' | 'after it';
}

function earlyResponses(service: DeployedService): Unfinished[] {
  const wrong = { Authorization: 'Bearer wrong' };
  // Not to be taken for a request.
  const inner = rawRequest(service);
  const sized = {
    start: rawRequest(service, { headers: { ...wrong, 'Content-Length': String(inner.length) }, body: '' }),
    kind: 'token-not-accepted',
  } as const;
  const inChunks = {
    start: rawRequest(service, { headers: { ...wrong, ...chunked }, body: '6\r\n{"id":\r\n' }),
    kind: 'token-not-accepted',
  } as const;
  const length = 2 * bodyLimitOf(service);
  const tooLarge = rawRequest(service, { headers: { 'Content-Length': String(length) }, body: '' });
  return [
    { ...sized, rest: inner },
    { ...sized, rest: `${inner}garbage\r\n\r\n`, malformed: 'after it' },
    { ...sized, rest: '\u0000'.repeat(1_000), malformed: 'after it' },
    { ...inChunks, rest: `${chunk(inner)}0\r\n\r\n` },
    { ...inChunks, rest: '0\r\n\r\ngarbage\r\n\r\n', malformed: 'after it' },
    { ...inChunks, rest: 'zz\r\n', malformed: 'in the body' },
    { start: tooLarge, kind: 'body-too-large', rest: ' '.repeat(length) },
  ];
}

/** After a response with `close` nothing is served (RFC 9112 section 9.6); after any other the next request is. */
async function expectOnlyResponse(
  service: DeployedService,
  { start, kind, rest, malformed }: Unfinished,
): Promise<void> {
  await onConnection(service, 'a request in two parts, the second one after the response', async (connection) => {
    connection.send(start);
    const response = await connection.response();
    expectError(response, kind);
    const next = aPlant();
    connection.send(rest + (malformed ? '' : rawRequest(service, { body: jsonOf(next) })));
    if (saysClose(response)) {
      await connection.closed();
      await expectNotStored(service, next.id, response);
    } else if (malformed) {
      // A response to a malformed body would be the second one to its request.
      const last = malformed === 'after it' ? await connection.responseOrEnd() : undefined;
      if (last) expectError(last, 'malformed-http');
      await connection.closed();
    } else {
      expectPlant(await connection.response(), next);
      await expectServed(connection);
    }
  });
}

/** The service may respond to half a request, or close the connection without a response. */
async function finishAndListen(connection: Connection): Promise<void> {
  connection.finish();
  const response = await connection.responseOrEnd();
  if (response) expectError(response, 'malformed-http');
}

/** The final response, after an interim one or not. */
async function lastOf(connection: Connection): Promise<HttpResponse> {
  const response = await connection.response();
  return response.status === 100 ? connection.response() : response;
}
