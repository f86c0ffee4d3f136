import { createServer } from 'node:http';
import { listening } from '@plant-store/testing';

/** A span as it arrived, with its attributes and those of its resource as an object. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined or empty for the first span of a trace. */
  readonly parentSpanId?: string;
  /** 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** @param behaviour what a receiver of OTLP/HTTP in JSON, which keeps what it gets, does with an export. */
export async function receiveOtlp(behaviour: 'accept' | 'reject' | 'hang' = 'accept') {
  const received: string[] = [];
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    const body = String(Buffer.concat(await request.toArray()));
    received.push(`${request.method} ${request.url}\n${request.rawHeaders.join('\n')}\n${body}\n`);
    spans.push(...spansIn(body));
    const status = { accept: 200, reject: 400, hang: undefined }[behaviour];
    if (status) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  return {
    /** What makes a service send to it. */
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await listening(server)}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
    spans,
    /** Each export, headers included. */
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansIn(body: string): ReceivedSpan[] {
  // Each value without the name of its type.
  const { resourceSpans } = JSON.parse(body, (name, value) =>
    name === 'attributes'
      ? Object.fromEntries(value.map((each: Attribute) => [each.key, Object.values(each.value)[0]]))
      : value,
  );
  return resourceSpans.flatMap(({ resource, scopeSpans }: Export) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, resource: resource.attributes }))),
  );
}

interface Attribute {
  readonly key: string;
  readonly value: object;
}
interface Export {
  readonly resource: { readonly attributes: object };
  readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
}
