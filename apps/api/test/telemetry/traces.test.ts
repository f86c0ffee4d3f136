import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create, scratchDirectory, startService, TOKEN } from '../running-service.ts';
import { attributesOf, childrenOf, type ReceivedSpan, receiveOtlp, requestSpan } from './otlp-receiver.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientSpan = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${clientSpan}-01`;

async function createTraced(url: string, body: string, headers: Record<string, string>): Promise<void> {
  const known = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  await (await fetch(`${url}/plants`, { method: 'POST', headers: { ...known, ...headers }, body })).text();
}

describe('the spans of a service', () => {
  let spans: readonly ReceivedSpan[];
  let [log, exported] = ['', ''];
  const resource = { 'service.name': 'plant-store', 'deployment.environment.name': 'test' };
  const together = Array.from({ length: 100 }, (_, at) => `together-${at}`);

  beforeAll(async () => {
    await using receiver = await receiveOtlp();
    using service = await startService({
      // A store in memory has no commits. On a busy machine no create may get a 503, which has none either.
      DATABASE_URL: `sqlite:${join(await scratchDirectory(afterAll), 'plants.db')}`,
      DATABASE_TIMEOUT_MS: '60000',
      ...{ ...receiver.environment, OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' },
    });
    const send = (reqId: string, body: string, headers: Record<string, string> = {}) =>
      createTraced(service.url, body, { 'x-request-id': reqId, ...headers });
    await send('traced', '{"id":1,"name":"Fern"}', { traceparent, tracestate: 'vendor=7' });
    await send('new', '{"id":2,"name":"Fern"}');
    await send('unsampled', '{"id":4,"name":"Fern"}', { traceparent: traceparent.replace(/1$/, '0') });
    await send('rejected', '{');
    await Promise.all(together.map((reqId, at) => send(reqId, `{"id":${10 + at},"name":"Fern"}`)));
    expect(await service.stop()).toBe(0);
    ({ spans } = receiver);
    exported = receiver.received.join();
    log = service.output();
  });

  test('a request is a child span of its client’s, by the semantic conventions, and the log has its ids', () => {
    const span = requestSpan(spans, 'traced');
    const parent = { traceId, parentSpanId: clientSpan, traceState: 'vendor=7' };
    expect(span).toMatchObject({ ...parent, name: 'POST /plants', kind: 2, status: { code: 0 } });
    const request = { 'http.request.method': 'POST', 'http.route': '/plants', 'http.response.status_code': 200 };
    expect(attributesOf(span)).toMatchObject(request);
    for (const [key, stringValue] of Object.entries(resource))
      expect(exported).toContain(JSON.stringify({ key, value: { stringValue } }));
    expect(log).toMatch(new RegExp(`"reqId":"traced".*"trace_id":"${traceId}","span_id":"${span?.spanId}"`));
  });

  test('the commit of the batch is a child span of each of its requests', () => {
    const commit = { name: 'commit', kind: 3, status: { code: 0 } };
    for (const reqId of ['traced', 'new', ...together])
      expect(childrenOf(spans, reqId)).toMatchObject([{ ...commit, traceId: requestSpan(spans, reqId)?.traceId }]);
    const sizes = together
      .flatMap((reqId) => childrenOf(spans, reqId))
      .map((span) => Number(attributesOf(span)['db.operation.batch.size']));
    expect(Math.max(...sizes)).toBeGreaterThan(1);
  });

  test('without a client’s trace a request begins one', () => {
    expect(requestSpan(spans, 'new')?.parentSpanId ?? '').toBe('');
    expect(requestSpan(spans, 'new')?.traceId).not.toBe(traceId);
  });

  test('a request of an unsampled trace is not exported, and a rejection is no error and has no commit', () => {
    expect(requestSpan(spans, 'unsampled')).toBeUndefined();
    expect(log).toMatch(new RegExp(`"reqId":"unsampled".*"trace_id":"${traceId}"`));
    expect(requestSpan(spans, 'rejected')).toMatchObject({ status: { code: 0 } });
    expect(attributesOf(requestSpan(spans, 'rejected'))).toMatchObject({ 'http.response.status_code': 400 });
    expect(childrenOf(spans, 'rejected')).toEqual([]);
  });
});

test('OTEL_PROPAGATORS names the headers by which clients say their trace', async () => {
  await using receiver = await receiveOtlp();
  const environment = { DATABASE_URL: 'memory:', ...receiver.environment, OTEL_PROPAGATORS: 'b3' };
  using service = await startService(environment);
  await createTraced(service.url, '{"id":1,"name":"Fern"}', { b3: `${traceId}-${clientSpan}-1`, 'x-request-id': 'b3' });
  expect(await service.stop()).toBe(0);
  expect(service.output()).toMatch(new RegExp(`"reqId":"b3".*"trace_id":"${traceId}"`));
});

test('exports that fail are one warning a minute, and one that hangs delays neither requests nor the end', async () => {
  await using receiver = await receiveOtlp();
  const patient = { OTEL_EXPORTER_OTLP_TIMEOUT: '600000', OTEL_BSP_EXPORT_TIMEOUT: '600000' };
  const often = { DATABASE_URL: 'memory:', OTEL_BSP_SCHEDULE_DELAY: '20', ...patient };
  using service = await startService({ ...receiver.environment, ...often });
  receiver.behaviour.status = 400;
  let id = 0;
  const createOne = async () => {
    id += 1;
    return (await create(service.url, { id, name: 'Fern' })).status;
  };
  for (; receiver.received.length < 4; await sleep(10)) await createOne();
  receiver.behaviour.status = undefined;
  const { length } = receiver.received;
  for (; receiver.received.length === length; await sleep(10)) await createOne();
  expect(await createOne()).toBe(200);
  expect(await service.stop()).toBe(0);
  // Without a stack.
  expect(service.output().match(/"level":40,.*"OpenTelemetry: .*/g)).toEqual([
    expect.stringMatching(/^(?!.*stack).*"OpenTelemetry: Bad Request"/),
  ]);
});
