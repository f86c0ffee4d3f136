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

/** Makes the spans of a create. */
export interface Spans extends Pick<StoreObserver, 'wrote'> {
  readonly startSpan: NonNullable<RequestObserver['startSpan']>;
  readonly traced: (useCases: UseCases) => UseCases;
}

/**
 * Creates a span for each request, by OpenTelemetry's semantic conventions for HTTP servers: a child of the client's, if there
 * is one. A create has a child span with the commit that wrote its plant. Many requests share a commit, and each trace shows it.
 */
export function spansBy(tracer: Tracer): Spans {
  /** The context of the request that is being processed. */
  const requests = new AsyncLocalStorage<Context>();
  /** The commit that has just ended, since when it ran by the clock of `performance`, and how its span is added to a request. */
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
      // Not `run`: this is called at the beginning of a request, and not around it.
      requests.enterWith(trace.setSpan(client, span));
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
      const ended = {
        since: performance.now() - seconds * 1_000,
        addTo(request: Context) {
          const span = tracer.startSpan('commit', { kind: SpanKind.CLIENT, startTime, attributes }, request);
          if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
          span.end(endTime);
        },
      };
      commit = ended;
      // The store settles the plants of a commit right after it, in this turn of the event loop.
      setImmediate(() => {
        if (commit === ended) commit = undefined;
      });
    },
    traced: (useCases) => ({
      ...useCases,
      async createPlant(newPlant) {
        const since = performance.now();
        try {
          return await useCases.createPlant(newPlant);
        } finally {
          const request = requests.getStore();
          // A commit that began before the plant came is not its own.
          if (request && commit && commit.since >= since) commit.addTo(request);
        }
      },
    }),
  };
}
