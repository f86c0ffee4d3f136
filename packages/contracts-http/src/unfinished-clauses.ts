import type { Clause } from '@plant-store/contracts-kit';
import { type Answer, saysClose } from './answer.ts';
import { bodyLimitOf, expectLimitInReach } from './body-limit.ts';
import { type Connection, onConnection } from './connection.ts';
import type { DeployedService } from './deployed-service.ts';
import { exchange, expectServed, rawRequest } from './exchange.ts';
import { broken, create, expectCreated, expectError, expectNotStored, expectPlant } from './expectations.ts';
import { aPlant, jsonOf } from './new-plants.ts';

/** Requests that are not complete when they are answered, or never will be. */
export const unfinishedClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-57',
    title: 'an early answer to an unfinished request is its only one, whatever comes of the rest',
    check: async (service) => {
      expectLimitInReach(service);
      for (const unfinished of earlyAnswers(service)) await expectOnlyAnswer(service, unfinished);
    },
  },
  {
    id: 'HC-58',
    title: 'a request that breaks off stores nothing',
    check: async (service) => {
      for (const leave of [finishAndListen, async () => {}]) {
        const plant = aPlant();
        const body = jsonOf(plant);
        await onConnection(service, 'a body without its last byte', async (connection) => {
          connection.send(rawRequest(service, { headers: { 'Content-Length': String(body.length + 1) }, body }));
          await expectCreated(service, aPlant());
          await leave(connection);
        });
        // Served behind it, so that what broke off has been dealt with when the next one is.
        for (let time = 1; time <= 3; time += 1) await expectCreated(service, aPlant());
        const other = aPlant({ id: plant.id });
        const answer = await create(service, other);
        if (answer.status !== 200)
          broken({ ...answer, did: `broke a request off, then ${answer.did}` }, '200: what breaks off stores nothing');
      }
    },
  },
  {
    id: 'HC-59',
    title:
      'Expect: 100-continue is met, but not for a body that will not be looked at; any other expectation is refused',
    check: async (service) => {
      const plant = aPlant();
      const body = jsonOf(plant);
      const expecting = { Expect: '100-continue', 'Content-Length': String(body.length) };
      await onConnection(service, 'a head with Expect: 100-continue', async (connection) => {
        connection.send(rawRequest(service, { headers: expecting, body: '' }));
        const interim = await connection.answer();
        if (interim.status !== 100) broken(interim, '100 Continue');
        connection.send(body);
        expectPlant(await connection.answer(), plant);
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
      const answer = await exchange(service, 'Expect: 100-continue without a token', refused, { mustClose: true });
      expectError(answer, 'missing-token');
      for (const expectation of ['foo', '100-continue, foo', '200-ok']) {
        const bytes = rawRequest(service, { headers: { Expect: expectation } });
        expectError(await exchange(service, `Expect: ${expectation}`, bytes), 'malformed-http');
      }
    },
  },
];

interface Unfinished {
  /** What is answered before the rest is sent. */
  readonly start: string;
  readonly kind: 'token-not-accepted' | 'body-too-large';
  readonly rest: string;
  /** Whether the rest goes wrong, so that nothing good can come behind it. */
  readonly spoilt?: boolean;
}

function earlyAnswers(service: DeployedService): Unfinished[] {
  const wrong = { Authorization: 'Bearer wrong' };
  const sized = {
    start: rawRequest(service, { headers: { ...wrong, 'Content-Length': '200' }, body: '{"id":' }),
    kind: 'token-not-accepted',
  } as const;
  const coding = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };
  const chunked = {
    start: rawRequest(service, { headers: { ...wrong, ...coding }, body: '6\r\n{"id":\r\n' }),
    kind: 'token-not-accepted',
  } as const;
  const length = 2 * bodyLimitOf(service);
  const tooLarge = rawRequest(service, { headers: { 'Content-Length': String(length) }, body: '' });
  return [
    { ...sized, rest: ' '.repeat(194) },
    { ...sized, rest: `${' '.repeat(194)}garbage\r\n\r\n`, spoilt: true },
    { ...sized, rest: '\u0000'.repeat(1_000), spoilt: true },
    { ...chunked, rest: '0\r\n\r\n' },
    { ...chunked, rest: '0\r\n\r\ngarbage\r\n\r\n', spoilt: true },
    { ...chunked, rest: 'zz\r\n', spoilt: true },
    { start: tooLarge, kind: 'body-too-large', rest: ' '.repeat(length) },
  ];
}

/** Behind an answer that says close nothing is served (RFC 9112 section 9.6); behind any other the next request is. */
async function expectOnlyAnswer(
  service: DeployedService,
  { start, kind, rest, spoilt = false }: Unfinished,
): Promise<void> {
  await onConnection(service, 'a request in two parts, the second one after the answer', async (connection) => {
    connection.send(start);
    const answer = await connection.answer();
    expectError(answer, kind);
    const next = aPlant();
    connection.send(rest + (spoilt ? '' : rawRequest(service, { body: jsonOf(next) })));
    if (saysClose(answer)) {
      await connection.closed();
      await expectNotStored(service, next.id, answer);
    } else if (spoilt) {
      expectError(await connection.answer(), 'malformed-http');
      await connection.closed();
    } else {
      expectPlant(await connection.answer(), next);
      await expectServed(connection);
    }
  });
}

/** The service may answer the half of a request, or close the connection without a word. */
async function finishAndListen(connection: Connection): Promise<void> {
  connection.finish();
  const answer = await connection.answerOrEnd();
  if (answer) expectError(answer, 'malformed-http');
}

/** The final answer, behind an interim one or not. */
async function lastOf(connection: Connection): Promise<Answer> {
  const answer = await connection.answer();
  return answer.status === 100 ? connection.answer() : answer;
}
