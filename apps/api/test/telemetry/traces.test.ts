import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { patiently } from '../patiently.ts';
import { create, type RunningService, scratchDirectory, startService, TOKEN } from '../running-service.ts';
import { type ReceivedSpan, receiveOtlp } from './otlp-receiver.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientSpan = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${clientSpan}-01`;

const directory = await scratchDirectory(afterAll);
let started = 0;

/** With SQLite, since a store in memory has no commits. */
async function start(
  environment: Record<string, string>,
  atEnd: (kill: () => void) => void = onTestFinished,
): Promise<RunningService> {
  started += 1;
  const service = await startService({ DATABASE_URL: `sqlite:${join(directory, `${started}.db`)}`, ...environment });
  atEnd(() => void service.process.kill('SIGKILL'));
  return service;
}

function stop(service: RunningService): Promise<number | NodeJS.Signals> {
  service.process.kill('SIGTERM');
  return service.ended;
}

async function createTraced(url: string, body: string, headers: Record<string, string>): Promise<void> {
  const known = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  await (await fetch(`${url}/plants`, { method: 'POST', headers: { ...known, ...headers }, body })).text();
}

describe('the spans of a service', () => {
  let spans: readonly ReceivedSpan[];
  let log: string;
  const together = Array.from({ length: 200 }, (_, at) => `together-${at}`);

  beforeAll(async () => {
    await using receiver = await receiveOtlp();
    using atEnd = new DisposableStack();
    // On a busy machine no create may get a 503, which has no commit.
    const limits = { DATABASE_TIMEOUT_MS: '60000', DATABASE_MAX_WAIT_MS: '60000' };
    const resource = { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' };
    const environment = { ...receiver.environment, ...limits, ...resource };
    const service = await start(environment, (kill) => atEnd.defer(kill));
    const send = (reqId: string, body: string, headers: Record<string, string>) =>
      createTraced(service.url, body, { 'x-request-id': reqId, ...headers });
    await send('traced', '{"id":1,"name":"Fern"}', { traceparent, tracestate: 'vendor=7' });
    await send('new', '{"id":2,"name":"Fern"}', {});
    await send('malformed', '{"id":3,"name":"Fern"}', { traceparent: traceparent.slice(0, -1) });
    await send('unsampled', '{"id":4,"name":"Fern"}', { traceparent: traceparent.replace(/1$/, '0') });
    await send('rejected', '{', {});
    await Promise.all(together.map((reqId, at) => send(reqId, `{"id":${10 + at},"name":"Fern"}`, {})));
    expect(await stop(service)).toBe(0);
    ({ spans } = receiver);
    log = service.output();
  });

  const requestSpan = (reqId: string) =>
    spans.find(({ attributes }) => String(attributes['http.request.header.x-request-id']) === reqId);
  const childrenOf = (reqId: string) => spans.filter(({ parentSpanId }) => parentSpanId === requestSpan(reqId)?.spanId);

  test('a request is a child span of its client’s, by the semantic conventions', () => {
    expect(requestSpan('traced')).toMatchObject({
      traceId,
      parentSpanId: clientSpan,
      traceState: 'vendor=7',
      name: 'POST /plants',
      kind: 2,
      status: { code: 0 },
      attributes: { 'http.request.method': 'POST', 'http.route': '/plants', 'http.response.status_code': 200 },
      resource: { 'service.name': 'plant-store', 'deployment.environment.name': 'test' },
    });
  });

  test.each(['traced', 'new'])('the commit of the batch is a child span of its request: %s', (reqId) => {
    const commit = { name: 'commit', kind: 3, status: { code: 0 }, attributes: { 'db.operation.batch.size': 1 } };
    expect(childrenOf(reqId)).toMatchObject([{ ...commit, traceId: requestSpan(reqId)?.traceId }]);
  });

  test('requests that share a commit each have it', () => {
    const commits = together.map(childrenOf);
    expect(commits.map(({ length }) => length)).toEqual(together.map(() => 1));
    const sizes = commits.flat().map(({ attributes }) => Number(attributes['db.operation.batch.size']));
    expect(Math.max(...sizes)).toBeGreaterThan(1);
  });

  test.each(['new', 'malformed'])('without a client’s trace a request begins one: %s', (reqId) => {
    const span = requestSpan(reqId);
    expect(span?.parentSpanId ?? '').toBe('');
    expect(span?.traceId).not.toBe(traceId);
  });

  test('a request of an unsampled trace is not exported', () => {
    expect(requestSpan('unsampled')).toBeUndefined();
    expect(new Set(spans.map(({ name }) => name))).toEqual(new Set(['POST /plants', 'commit']));
  });

  test('a rejection is not an error of the service, and has no commit', () => {
    expect(requestSpan('rejected')).toMatchObject({
      status: { code: 0 },
      attributes: { 'http.response.status_code': 400 },
    });
    expect(childrenOf('rejected')).toEqual([]);
  });

  test('the log has the ids of a request’s span', () => {
    const { spanId = '' } = requestSpan('traced') ?? {};
    expect(log).toMatch(new RegExp(`"reqId":"traced".*"trace_id":"${traceId}","span_id":"${spanId}"`));
    expect(log).toMatch(new RegExp(`"reqId":"unsampled".*"trace_id":"${traceId}"`));
  });
});

test.each([{}, { OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])(
  'nothing is exported unless configured, and the log has the client’s ids: %o',
  async (environment) => {
    await using receiver = await receiveOtlp();
    const destination = Object.keys(environment).length > 0 ? receiver.environment : {};
    const service = await start({ ...destination, ...environment });
    await createTraced(service.url, '{"id":1,"name":"Fern"}', { traceparent });
    expect(await stop(service)).toBe(0);
    expect(receiver.everything()).toBe('');
    expect(service.output()).toContain(`"trace_id":"${traceId}","span_id":"${clientSpan}"`);
  },
);

test('variables that the SDK does not understand are warnings', async () => {
  const service = await start({
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_TRACES_SAMPLER: 'dice',
    OTEL_PROPAGATORS: 'pigeon',
  });
  await stop(service);
  expect(service.output()).toMatch(/"level":40.*OpenTelemetry: .*dice/);
  expect(service.output()).toMatch(/"level":40.*OpenTelemetry: .*pigeon/);
});

test('a receiver that hangs delays neither requests nor the end of the service', async () => {
  await using receiver = await receiveOtlp('hang');
  const service = await start({
    ...receiver.environment,
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    OTEL_BSP_EXPORT_TIMEOUT: '600000',
    OTEL_BSP_SCHEDULE_DELAY: '20',
  });
  await create(service.url, { id: 1, name: 'Fern' });
  await vi.waitFor(() => expect(receiver.exports()).toBe(1), patiently);
  expect((await create(service.url, { id: 2, name: 'Fern' })).status).toBe(200);
  expect(await stop(service)).toBe(0);
});

describe('failing exports are one warning a minute, without a stack', () => {
  const often = { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_EXPORTER_OTLP_TIMEOUT: '100' };
  const warnings = (service: RunningService) =>
    service
      .output()
      .split('\n')
      .filter((line) => /"level":[45]0/.test(line));

  test('the receiver rejects them', async () => {
    await using receiver = await receiveOtlp('reject');
    const service = await start({ ...receiver.environment, ...often });
    for (let id = 1; receiver.exports() < 4; id += 1) await create(service.url, { id, name: 'Fern' });
    expect(await stop(service)).toBe(0);
    expect(warnings(service)).toEqual([expect.stringMatching(/"level":40,(?!.*stack).*"OpenTelemetry: Bad Request"/)]);
  });

  test('the receiver is down', async () => {
    const receiver = await receiveOtlp();
    await receiver[Symbol.asyncDispose]();
    const service = await start({ ...receiver.environment, ...often });
    for (let id = 1; warnings(service).length === 0; id += 1)
      expect((await create(service.url, { id, name: 'Fern' })).status).toBe(200);
    expect(await stop(service)).toBe(0);
    expect(warnings(service)).toEqual([
      expect.stringMatching(/"level":40,(?!.*stack).*"OpenTelemetry: .*ECONNREFUSED/),
    ]);
  });
});
