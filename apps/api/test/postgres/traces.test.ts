import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase } from '@plant-store/testing/postgres';
import { beforeAll, expect, test } from 'vitest';
import { connectTo, create, startService, TOKEN } from '../running-service.ts';
import { attributesOf, childrenOf, type ReceivedSpan, receiveOtlp, requestSpan } from '../telemetry/otlp-receiver.ts';

let spans: readonly ReceivedSpan[];
const together = Array.from({ length: 100 }, (_, at) => `together-${at}`);
const duplicates = Array.from({ length: 20 }, (_, at) => `duplicate-${at}`);

beforeAll(async () => {
  await using receiver = await receiveOtlp();
  // On a busy machine no create may get a 503, which has no commit.
  const patient = { DATABASE_URL: await freshDatabase(), DATABASE_TIMEOUT_MS: '60000' };
  using service = await startService({ ...patient, ...receiver.environment });
  const send = async (reqId: string, newPlant: object) => {
    await (await create(service.url, newPlant, TOKEN, { 'x-request-id': reqId })).text();
  };
  await send('new', { id: 1, name: 'Fern' });
  await send('again', { id: 1, name: 'Fern' });
  await send('taken', { id: 1, name: 'Moss' });
  await sendInTwo(service.url, 'in-two', '{"id":2,"name":"Fern"}');
  await Promise.all(duplicates.map((reqId) => send(reqId, { id: 3, name: 'Fern' })));
  await Promise.all(together.map((reqId, at) => send(reqId, { id: 10 + at, name: 'Fern' })));
  expect(await service.stop()).toBe(0);
  ({ spans } = receiver);
});

/** Creates a plant by a request whose body arrives after its header. */
async function sendInTwo(url: string, reqId: string, body: string): Promise<void> {
  const socket = connectTo(url);
  const header = ['POST /plants HTTP/1.1', 'Host: x', `Authorization: Bearer ${TOKEN}`, `X-Request-Id: ${reqId}`];
  const ofBody = ['Connection: close', 'Content-Type: application/json', `Content-Length: ${body.length}`];
  socket.write(`${[...header, ...ofBody].join('\r\n')}\r\n\r\n`);
  await sleep(50);
  socket.write(body);
  await once(socket.resume(), 'close');
}

// PostgreSQL tells of a taken id after the commit, in a later turn of the event loop.
test.each([
  ['creates a plant', ['new']],
  ['repeats an earlier one', ['again']],
  ['has the id of another plant', ['taken']],
  ['has its body in a later packet', ['in-two']],
  ['has the id of others that are sent at once', duplicates],
  ['shares a commit', together],
])('a request that %s has one child span, for the commit that its plant was part of', (_, requests) => {
  for (const reqId of requests) {
    const commit = { name: 'commit', kind: 3, status: { code: 0 }, traceId: requestSpan(spans, reqId)?.traceId };
    expect(childrenOf(spans, reqId), reqId).toMatchObject([commit]);
  }
});

test('a commit is a child span of as many requests as it has plants', () => {
  const commits = Map.groupBy(
    together.flatMap((reqId) => childrenOf(spans, reqId)),
    ({ startTimeUnixNano, endTimeUnixNano }) => `${startTimeUnixNano}-${endTimeUnixNano}`,
  );
  expect(commits.size).toBeLessThan(together.length);
  for (const requests of commits.values())
    for (const span of requests) expect(attributesOf(span)).toEqual({ 'db.operation.batch.size': requests.length });
});
