import { createServer } from 'node:http';
import { listening } from '@plant-store/testing';

/** A span as it arrived. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined or empty for the first span of a trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  /** 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** @param behaviour what a receiver of OTLP/HTTP in JSON, which keeps what it gets, does with an export. */
export async function receiveOtlp(behaviour: 'accept' | 'reject' | 'hang' = 'accept') {
  const spans: ReceivedSpan[] = [];
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    const body = String(Buffer.concat(await request.toArray()));
    received.push(`${request.method} ${request.url}\n${request.rawHeaders.join('\n')}\n${body}\n`);
    if (behaviour === 'accept') {
      spans.push(...spansIn(JSON.parse(body)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    } else if (behaviour === 'reject') response.writeHead(400).end();
  });
  return {
    /** What makes a service send to it. */
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await listening(server)}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
    spans,
    /** How many exports came. */
    exports: () => received.length,
    /** Everything that was received, headers included. */
    everything: () => received.join(''),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Described {
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}
type Sent = Described & Omit<ReceivedSpan, 'attributes'>;
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: Described;
    readonly scopeSpans: readonly { spans: Sent[] }[];
  }[];
}

function spansIn({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const spans = scopeSpans.flatMap((scope) => scope.spans);
    return spans.map((span) => ({ ...span, attributes: attributesIn(span), resource: attributesIn(resource) }));
  });
}

/** Each value without the name of its type. */
function attributesIn({ attributes }: Described): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
