import { createServer } from 'node:http';
import { listening } from '@plant-store/testing';

/** A span as it arrived. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined or empty for the first span of a trace. */
  readonly parentSpanId?: string;
  /** 2 server, 3 client. */
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

interface Export {
  readonly resourceSpans: { readonly scopeSpans: { readonly spans: ReceivedSpan[] }[] }[];
}

/** Each attribute without the name of its type. */
export function attributesOf(span: ReceivedSpan | undefined): Record<string, unknown> {
  return Object.fromEntries(span?.attributes.map(({ key, value }) => [key, Object.values(value)[0]]) ?? []);
}

/** The span of a request. */
export function requestSpan(spans: readonly ReceivedSpan[], requestId: string): ReceivedSpan | undefined {
  return spans.find(({ kind, attributes }) => kind === 2 && JSON.stringify(attributes).includes(`"${requestId}"`));
}

/** The child spans of a request. */
export function childrenOf(spans: readonly ReceivedSpan[], requestId: string): readonly ReceivedSpan[] {
  const parent = requestSpan(spans, requestId);
  return spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId);
}

/** A receiver of OTLP/HTTP in JSON, which keeps what it gets. */
export async function receiveOtlp() {
  const received: string[] = [];
  const spans: ReceivedSpan[] = [];
  /** What it responds to an export; undefined hangs. */
  const behaviour: { status: number | undefined } = { status: 200 };
  const server = createServer(async (request, response) => {
    const body = String(Buffer.concat(await request.toArray()));
    received.push(`${request.method} ${request.url}\n${request.rawHeaders.join('\n')}\n${body}\n`);
    const { resourceSpans }: Export = JSON.parse(body);
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    if (behaviour.status) response.writeHead(behaviour.status, { 'content-type': 'application/json' }).end('{}');
  });
  return {
    /** What makes a service send to it. */
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await listening(server)}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
    behaviour,
    spans,
    /** Each export, headers included. */
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
