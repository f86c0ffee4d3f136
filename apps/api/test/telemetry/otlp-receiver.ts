import { once } from 'node:events';
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { listening } from '@plant-store/testing-servers';
import protobuf from 'protobufjs';

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
    if (request.url === '/v1/traces') spans.push(...spansIn(body));
    else if (request.url === '/v1/metrics') points.push(...pointsIn(body));
    else return void response.writeHead(404).end();
    if (behaviour === 'accept') response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  return {
    url: `http://127.0.0.1:${await listening(server)}`,
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

const schema = protobuf.parse(`
  syntax = "proto3";
  message Export { repeated OfResource resources = 1; }
  message OfResource { Resource resource = 1; repeated OfScope scopes = 2; }
  message OfScope { repeated bytes items = 2; }
  message Span {
    bytes traceId = 1; bytes spanId = 2; string traceState = 3; bytes parentSpanId = 4; string name = 5; int32 kind = 6;
    repeated Attribute attributes = 9; Status status = 15;
  }
  message Status { int32 code = 3; }
  message Metric { string name = 1; string unit = 3; oneof type { Sum gauge = 5; Sum sum = 7; Histogram histogram = 9; } }
  message Sum { repeated Point points = 1; bool isMonotonic = 3; }
  message Point { double value = 4; repeated Attribute attributes = 7; }
  message Histogram { repeated Counts points = 1; }
  message Counts {
    fixed64 value = 4; repeated fixed64 buckets = 6; repeated double bounds = 7; repeated Attribute attributes = 9;
  }
  message Resource { repeated Attribute attributes = 1; }
  message Attribute { string key = 1; Value value = 2; }
  message Value { oneof is { string text = 1; int64 integer = 3; double double = 4; List list = 5; } }
  message List { repeated Value values = 1; }
`).root;

type Export = { resources: readonly { resource: Described; scopes: readonly { items: readonly Buffer[] }[] }[] };

type Described = { attributes: readonly { key: string; value: Value }[] };

type Value = Partial<{ text: string; integer: number; double: number; list: { values: readonly Value[] } }>;

type Span = Described &
  Pick<ReceivedSpan, 'traceState' | 'name' | 'kind'> &
  Record<'traceId' | 'spanId' | 'parentSpanId', Buffer> & { readonly status: { readonly code: number } | null };

type Metric = Pick<ReceivedPoint, 'type' | 'unit'> & { readonly name: string } & Record<ReceivedPoint['type'], Points>;

interface Points extends Pick<ReceivedPoint, 'isMonotonic'> {
  readonly points: readonly (Described & Pick<ReceivedPoint, 'value' | 'buckets' | 'bounds'>)[];
}

/** Absent fields have their defaults; `type` names the kind of a metric. */
function decode<Message>(type: string, bytes: Buffer): Message {
  const message = schema.lookupType(type);
  return message.toObject(message.decode(bytes), { defaults: true, longs: Number, oneofs: true }) as Message;
}

/** The spans or metrics of an export, each with the attributes of its resource. */
function itemsIn<Item>(type: 'Span' | 'Metric', body: Buffer): (Item & { readonly resource: Attributes })[] {
  return decode<Export>('Export', body).resources.flatMap(({ resource, scopes }) =>
    scopes
      .flatMap(({ items }) => items)
      .map((item) => ({ ...decode<Item>(type, item), resource: attributesIn(resource) })),
  );
}

function spansIn(body: Buffer): ReceivedSpan[] {
  return itemsIn<Span>('Span', body).map((span) => ({
    ...span,
    traceId: span.traceId.toString('hex'),
    spanId: span.spanId.toString('hex'),
    parentSpanId: span.parentSpanId.toString('hex'),
    status: span.status?.code ?? 0,
    attributes: attributesIn(span),
  }));
}

function pointsIn(body: Buffer): ReceivedPoint[] {
  return itemsIn<Metric>('Metric', body).flatMap(({ name: metric, unit, type, resource, ...kinds }) => {
    const { points, isMonotonic } = kinds[type];
    const common = { metric, unit, type, isMonotonic, resource };
    return points.map((point) => ({ ...point, ...common, attributes: attributesIn(point) }));
  });
}

function attributesIn({ attributes }: Described): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, anyValueOf(value)]));
}

function anyValueOf({ text, integer, double, list }: Value): Attributes[string] {
  return text ?? integer ?? double ?? (list?.values ?? []).map((one) => one.text ?? '');
}
