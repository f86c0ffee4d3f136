import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Application } from '../../src/index.ts';
import { SHUTDOWN_MS } from '../../src/serve/signals.ts';
import { composedService } from '../composed-service.ts';
import { create, TOKEN } from '../running-service.ts';
import { type OtlpReceiver, receiveOtlp } from './otlp-receiver.ts';

/** A service in this process, and its log. When it stops it exports the rest. */
async function start(environment: Record<string, string>): Promise<Application & { output: () => string }> {
  // OpenTelemetry reads the variables of its process.
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const lines: string[] = [];
  const service = await composedService(environment, lines);
  onTestFinished(() => service.stop());
  return { ...service, output: () => lines.join('') };
}

async function startWith(receiver: OtlpReceiver, environment: Record<string, string> = {}) {
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  return start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...environment });
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientSpan = 'b7ad6b7169203331';

function createTraced(url: string, traceparent: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', traceparent, ...headers },
    body: '{"id":1,"name":"Fern"}',
  });
}

test('a request is a child span of its client’s, and both ids are in the log', async () => {
  const receiver = await receiveOtlp();
  const service = await startWith(receiver, { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' });
  const headers = { 'x-request-id': 'the-request', tracestate: 'vendor=7' };
  await createTraced(service.url, `00-${traceId}-${clientSpan}-01`, headers);
  await service.stop();

  const server = receiver.spans.find(({ kind }) => kind === 2);
  expect(server).toMatchObject({
    traceId,
    parentSpanId: clientSpan,
    traceState: 'vendor=7',
    name: 'POST /plants',
    status: 0,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/plants',
      'http.response.status_code': 200,
      'http.request.header.x-request-id': ['the-request'],
    },
    resource: { 'service.name': 'plant-store', 'deployment.environment.name': 'test' },
  });
  expect(receiver.spans).toHaveLength(1);
  expect(service.output()).toMatch(
    new RegExp(`"reqId":"the-request".*"trace_id":"${traceId}","span_id":"${server?.spanId}"`),
  );
});

test('without a client’s trace, or with a malformed one, a request starts a new trace', async () => {
  const receiver = await receiveOtlp();
  const service = await startWith(receiver);
  await create(service.url, { id: 1, name: 'Fern' });
  await createTraced(service.url, `00-${traceId}-${clientSpan}-1`);
  await service.stop();

  const servers = receiver.spans.filter(({ kind }) => kind === 2);
  expect(servers.map(({ parentSpanId }) => parentSpanId)).toEqual(['', '']);
  expect(new Set(servers.map((span) => span.traceId)).add(traceId).size).toBe(3);
});

test('a request of an unsampled trace is not traced, but the log has its ids', async () => {
  const receiver = await receiveOtlp();
  const service = await startWith(receiver);
  await createTraced(service.url, `00-${traceId}-${clientSpan}-00`);
  await service.stop();
  expect(receiver.spans).toEqual([]);
  expect(service.output()).toContain(`"trace_id":"${traceId}"`);
});

test('a rejection is not an error of the service', async () => {
  const receiver = await receiveOtlp();
  const service = await startWith(receiver);
  await create(service.url, '{');
  await service.stop();
  expect(receiver.spans).toMatchObject([{ status: 0, attributes: { 'http.response.status_code': 400 } }]);
});

test('the exported metrics are those of /metrics, under their conventional names', async () => {
  const receiver = await receiveOtlp();
  const service = await startWith(receiver, { OTEL_SERVICE_NAME: 'greenhouse', OTEL_TRACES_EXPORTER: 'none' });
  for (let id = 0; id < 3; id += 1) await create(service.url, { id, name: 'Fern' });
  await create(service.url, '{');
  await service.stop();

  const requests = receiver.points.filter(({ metric }) => metric === 'http.server.request.duration');
  expect(requests).toHaveLength(2);
  const [created] = requests.filter(({ attributes }) => attributes['http.response.status_code'] === 200);
  expect(created).toMatchObject({
    type: 'histogram',
    unit: 's',
    value: 3,
    attributes: { 'http.request.method': 'POST', 'http.route': '/plants' },
    resource: { 'service.name': 'greenhouse' },
  });
  expect(created?.buckets.reduce((sum, count) => sum + count)).toBe(3);
  expect(created?.buckets).toHaveLength((created?.bounds.length ?? 0) + 1);
  const cpu = receiver.points.find(({ metric }) => metric === 'process_cpu_seconds_total');
  expect(cpu).toMatchObject({ type: 'sum', isMonotonic: true, unit: 's' });
  expect(cpu?.value).toBeGreaterThan(0);
  const active = receiver.points.find(({ metric }) => metric === 'http.server.active_requests');
  expect(active).toMatchObject({ type: 'sum', isMonotonic: false });
  expect(receiver.points.find(({ metric }) => metric === 'process_resident_memory_bytes')).toMatchObject({
    type: 'gauge',
    unit: 'By',
  });
  expect(receiver.spans).toEqual([]);
});

test.each<Record<string, string>>([{}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'set', OTEL_SDK_DISABLED: 'TRUE' }])(
  'nothing is exported unless configured: %o',
  async (environment) => {
    const receiver = await receiveOtlp();
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    const endpoint = environment['OTEL_EXPORTER_OTLP_ENDPOINT'] ? { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } : {};
    const service = await start({ ...environment, ...endpoint });
    await createTraced(service.url, `00-${traceId}-${clientSpan}-01`);
    await service.stop();
    expect(receiver.everything()).toBe('');
    expect(service.output()).toContain(`"trace_id":"${traceId}","span_id":"${clientSpan}"`);
  },
);

test('a receiver that hangs delays neither requests nor shutdown', async () => {
  const receiver = await receiveOtlp('hang');
  const service = await startWith(receiver, {
    OTEL_METRIC_EXPORT_INTERVAL: '20',
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
  });
  // More than the queue of spans holds: each has two.
  for (let round = 0; round < 15; round += 1) {
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, at) => create(service.url, { id: round * 100 + at, name: 'Fern' })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  }
  const begunAt = performance.now();
  await service.stop();
  expect(performance.now() - begunAt).toBeLessThan(SHUTDOWN_MS);
});

test('an unreachable receiver is one warning of each kind, without a stack', async () => {
  const receiver = await receiveOtlp();
  await receiver[Symbol.asyncDispose]();
  const service = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_METRIC_EXPORT_INTERVAL: '20',
    OTEL_EXPORTER_OTLP_TIMEOUT: '10',
  });
  await create(service.url, { id: 1, name: 'Fern' });
  await vi.waitFor(() => expect(service.output()).toContain('exporting metrics failed'), 20_000);
  // Many intervals later, and after the last attempts.
  await sleep(200);
  await service.stop();
  const lines = service.output().split('\n');
  const of = (what: string) => lines.filter((line) => line.includes(`OpenTelemetry: exporting ${what} failed: `));
  expect([of('metrics'), of('traces')].map(({ length }) => length)).toEqual([1, 1]);
  for (const line of [...of('metrics'), ...of('traces')]) expect(line).toMatch(/^\{"level":40,(?!.*stack)/);
  expect(service.output()).not.toContain('"level":50');
});

test('an unsupported value aborts startup with a list of the supported ones', async () => {
  const starting = start({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
    OTEL_TRACES_SAMPLER_ARG: '2',
  });
  const faults = ['', 'TRACES_', 'METRICS_'].map(
    (which) => `OTEL_EXPORTER_OTLP_${which}PROTOCOL: expected http/protobuf`,
  );
  for (const fault of [...faults, 'OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1'])
    await expect(starting).rejects.toThrow(fault);
});
