import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { Message } from './protobuf.ts';

type Attributes = Readonly<Record<string, string | number | readonly string[]>>;

/** A span as it arrived. */
interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** 1 internal, 2 server. */
  readonly kind: number;
  /** 0 unset, 2 error. */
  readonly status: number;
  readonly attributes: Attributes;
  readonly resource: Attributes;
}

/** A data point of a metric as it arrived. */
interface ReceivedPoint {
  readonly metric: string;
  readonly unit: string;
  readonly type: 'gauge' | 'sum' | 'histogram';
  readonly isMonotonic: boolean;
  readonly attributes: Attributes;
  readonly resource: Attributes;
  /** The value; of a histogram, how many were counted. */
  readonly value: number;
  readonly buckets: readonly number[];
  readonly bounds: readonly number[];
}

/** A receiver of OTLP/HTTP in protobuf, which keeps what it gets. It reads the bytes by the numbers of opentelemetry-proto. */
export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly points: ReceivedPoint[];
  /** Everything that was received, headers included, as one text of Latin-1. */
  everything(): string;
}

/** @param behaviour what it does with an export: accepts it by default, or never responds. */
export async function receiveOtlp(behaviour: 'accept' | 'hang' = 'accept'): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const points: ReceivedPoint[] = [];
  let everything = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const sent = Buffer.concat(chunks);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    everything += `${request.rawHeaders.join('\n')}\n${body.toString('latin1')}\n`;
    if (request.headers['content-type'] !== 'application/x-protobuf') return void response.writeHead(415).end();
    if (request.url === '/v1/traces') spans.push(...spansIn(new Message(body)));
    else if (request.url === '/v1/metrics') points.push(...pointsIn(new Message(body)));
    else return void response.writeHead(404).end();
    if (behaviour === 'accept') response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    points,
    everything: () => everything,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function spansIn(request: Message): ReceivedSpan[] {
  return request.messages(1).flatMap((ofResource) => {
    const resource = attributesIn(ofResource.message(1), 1);
    const spans = ofResource.messages(2).flatMap((ofScope) => ofScope.messages(2));
    return spans.map((span) => ({
      traceId: span.hex(1),
      spanId: span.hex(2),
      traceState: span.text(3),
      parentSpanId: span.hex(4),
      name: span.text(5),
      kind: span.integer(6),
      attributes: attributesIn(span, 9),
      status: span.message(15).integer(3),
      resource,
    }));
  });
}

function pointsIn(request: Message): ReceivedPoint[] {
  return request.messages(1).flatMap((ofResource) => {
    const resource = attributesIn(ofResource.message(1), 1);
    const metrics = ofResource.messages(2).flatMap((ofScope) => ofScope.messages(2));
    return metrics.flatMap((metric) => {
      const { type, field } = kindOf(metric);
      return metric.messages(field).flatMap((data) =>
        data.messages(1).map((point) => ({
          metric: metric.text(1),
          unit: metric.text(3),
          type,
          isMonotonic: data.integer(3) === 1,
          attributes: attributesIn(point, type === 'histogram' ? 9 : 7),
          resource,
          value: type === 'histogram' ? (point.fixed64s(4)[0] ?? 0) : point.double(4),
          buckets: point.fixed64s(6),
          bounds: point.doubles(7),
        })),
      );
    });
  });
}

function kindOf(metric: Message): { type: ReceivedPoint['type']; field: number } {
  if (metric.has(5)) return { type: 'gauge', field: 5 };
  return metric.has(7) ? { type: 'sum', field: 7 } : { type: 'histogram', field: 9 };
}

function attributesIn(message: Message, field: number): Attributes {
  return Object.fromEntries(message.messages(field).map((pair) => [pair.text(1), anyValueOf(pair.message(2))]));
}

function anyValueOf(value: Message): string | number | readonly string[] {
  if (value.has(1)) return value.text(1);
  if (value.has(3)) return value.integer(3);
  return value.has(4)
    ? value.double(4)
    : value
        .message(5)
        .messages(1)
        .map((one) => one.text(1));
}
