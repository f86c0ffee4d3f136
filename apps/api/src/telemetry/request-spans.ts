import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { RequestObserver, TraceContext } from '@plant-store/http-edge';

/**
 * Creates a span for each request, by OpenTelemetry's semantic conventions for HTTP servers: a child of the client's span, if
 * there is one, with a child span for each part of the work.
 */
export function requestSpans(tracer: Tracer): RequestObserver['startSpan'] {
  return ({ method, route, parent, requestId }) => {
    const attributes = {
      'http.request.method': method,
      'url.scheme': 'http',
      'http.request.header.x-request-id': [requestId],
      ...(route === undefined ? {} : { 'http.route': route, 'url.path': route }),
    };
    const name = [method === '_OTHER' ? 'HTTP' : method, route].filter(Boolean).join(' ');
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, contextOf(parent));
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      context: { traceId, spanId, flags: traceFlags },
      async part(partName, work) {
        const part = tracer.startSpan(partName, {}, trace.setSpan(ROOT_CONTEXT, span));
        try {
          return await work();
        } catch (error) {
          fail(part, error instanceof Error ? error.name : 'unknown');
          throw error;
        } finally {
          part.end();
        }
      },
      end(status, isCutOff) {
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        if (status === undefined) fail(span, isCutOff ? 'cut off' : 'client gone');
        else if (status >= 500) fail(span, String(status));
        span.end();
      },
    };
  };
}

/** Without the error's message, which may contain anything. */
function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function contextOf(parent: TraceContext | undefined): Context {
  if (!parent) return ROOT_CONTEXT;
  const { traceId, spanId, flags, state } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: flags,
    isRemote: true,
    ...(state === undefined ? {} : { traceState: createTraceState(state) }),
  });
}
