import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  defaultTextMapGetter,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { RequestObserver } from '@plant-store/adapters-http';
import type { UseCases } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/store-kit';

/** Creates the spans of requests and commits. */
export interface Spans extends Pick<StoreObserver, 'wrote'> {
  readonly startSpan: NonNullable<RequestObserver['startSpan']>;
  readonly traced: (useCases: UseCases) => UseCases;
}

/**
 * Creates a server span for each request, by OpenTelemetry's semantic conventions for HTTP: a child of the client's span, if any.
 * A create has a child span for the commit of its plant. Requests that share a commit each have such a span.
 */
export function spansBy(tracer: Tracer): Spans {
  /** The trace context of the current request. */
  const requestContext = new AsyncLocalStorage<Context>();
  /** The commit that has just ended: its start by `performance.now()`, and a function that adds its span to a request. */
  let commit: { readonly since: number; readonly addTo: (request: Context) => void } | undefined;

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
      // `run` does not fit, because this is called at the start of a request and not around it.
      requestContext.enterWith(trace.setSpan(client, span));
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
    },
    wrote(outcome, plants, seconds) {
      const endTime = Date.now();
      const startTime = endTime - seconds * 1_000;
      const attributes = { 'db.operation.batch.size': plants };
      const lastCommit = {
        since: performance.now() - seconds * 1_000,
        addTo(request: Context) {
          const span = tracer.startSpan('commit', { kind: SpanKind.CLIENT, startTime, attributes }, request);
          if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
          span.end(endTime);
        },
      };
      commit = lastCommit;
      // The store settles the plants of a commit in this turn of the event loop.
      setImmediate(() => {
        if (commit === lastCommit) commit = undefined;
      });
    },
    traced: (useCases) => ({
      ...useCases,
      async createPlant(newPlant) {
        const since = performance.now();
        try {
          return await useCases.createPlant(newPlant);
        } finally {
          const request = requestContext.getStore();
          // A commit that started before the plant arrived does not contain it.
          if (request && commit && commit.since >= since) commit.addTo(request);
        }
      },
    }),
  };
}
