import { once } from 'node:events';
import { createServer } from 'node:http';
import { listening } from '@plant-store/testing-servers';

type Attributes = Readonly<Record<string, unknown>>;

/** A span as it arrived. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined or empty for the first span of a trace. */
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  /** 2 server, 3 client. */
  readonly kind: number;
  /** 0 unset, 2 error. */
  readonly status: { readonly code: number };
  readonly attributes: Attributes;
  readonly resource: Attributes;
}

/** A receiver of OTLP/HTTP in JSON, which keeps what it gets. */
export interface OtlpReceiver extends AsyncDisposable {
  /** What makes a service send to it. */
  readonly environment: Record<string, string>;
  readonly spans: ReceivedSpan[];
  /** How many exports came. */
  exports(): number;
  /** Everything that was received, headers included. */
  everything(): string;
}

/** @param behaviour what it does with an export. */
export async function receiveOtlp(behaviour: 'accept' | 'reject' | 'hang' = 'accept'): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    const body = String(Buffer.concat(await request.toArray()));
    received.push(`${request.method} ${request.url}\n${request.rawHeaders.join('\n')}\n${body}\n`);
    if (behaviour === 'hang') return;
    if (behaviour === 'reject' || request.url !== '/v1/traces') return void response.writeHead(400).end();
    spans.push(...spansIn(JSON.parse(body)));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return {
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await listening(server)}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
    spans,
    exports: () => received.length,
    everything: () => received.join(''),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Described {
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: Described;
    readonly scopeSpans: readonly { readonly spans: readonly (Described & Omit<ReceivedSpan, 'attributes'>)[] }[];
  }[];
}

function spansIn({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({ ...span, attributes: attributesIn(span), resource: attributesIn(resource) })),
  );
}

/** Each value without the name of its type; of a list its values, too. */
function attributesIn({ attributes }: Described): Attributes {
  const plain = (value: object): unknown => {
    const [one] = Object.values(value);
    return one?.values ? one.values.map(plain) : one;
  };
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}
