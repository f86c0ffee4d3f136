import {
  type Context,
  context,
  defaultTextMapGetter,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { RequestObserver } from '@plant-store/adapters-http';
import type { StoreObserver } from '@plant-store/store-kit';

/** Creates the spans of requests and commits. */
export interface Spans extends Required<Pick<StoreObserver<Context>, 'context' | 'wrote'>> {
  readonly startSpan: NonNullable<RequestObserver['startSpan']>;
}

/**
 * Creates a server span for each request, by OpenTelemetry's semantic conventions for HTTP: a child of the client's span, if any.
 * A request has a child span for each commit that its plants are part of. Requests that share a commit each have such a span.
 */
export function spansBy(tracer: Tracer): Spans {
  return {
    startSpan(method, route, headers, requestId) {
      const attributes = {
        'http.request.method': method,
        'url.scheme': 'http',
        'http.request.header.x-request-id': [requestId],
        ...(route === undefined ? {} : { 'http.route': route, 'url.path': route }),
      };
      const name = [method === '_OTHER' ? 'HTTP' : method, route].filter(Boolean).join(' ');
      const client = propagation.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, client);
      const { traceId, spanId } = span.spanContext();
      return {
        traceId,
        spanId,
        run: (work) => context.with(trace.setSpan(client, span), work),
        end(status) {
          if (status !== undefined) span.setAttribute('http.response.status_code', status);
          if (status === undefined || status >= 500) {
            span.setAttribute('error.type', status === undefined ? 'client gone' : String(status));
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end();
        },
      };
    },
    context: () => context.active(),
    wrote(outcome, plants, seconds, contexts = []) {
      const endTime = Date.now();
      const startTime = endTime - seconds * 1_000;
      const attributes = { 'db.operation.batch.size': plants };
      for (const request of contexts) {
        const span = tracer.startSpan('commit', { kind: SpanKind.CLIENT, startTime, attributes }, request);
        if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(endTime);
      }
    },
  };
}
