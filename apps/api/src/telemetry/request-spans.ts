import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { RequestObserver } from '@plant-store/adapters-http';

const propagator = new W3CTraceContextPropagator();

/** Creates a span for each request, by OpenTelemetry's semantic conventions for HTTP servers: a child of the client's, if there is one. */
export function requestSpans(tracer: Tracer): NonNullable<RequestObserver['startSpan']> {
  return (method, route, headers, requestId) => {
    const attributes = {
      'http.request.method': method,
      'url.scheme': 'http',
      'http.request.header.x-request-id': [requestId],
      ...(route === undefined ? {} : { 'http.route': route, 'url.path': route }),
    };
    const name = [method === '_OTHER' ? 'HTTP' : method, route].filter(Boolean).join(' ');
    const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    const { traceId, spanId } = span.spanContext();
    return {
      traceId,
      spanId,
      end(status) {
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        if (status === undefined || status >= 500) {
          span.setAttribute('error.type', status === undefined ? 'client gone' : String(status));
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
  };
}
