import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Exchange, exchangeOf } from '../exchange/exchange.ts';
import { requestIdHeader } from '../exchange/request-id.ts';
import { traceContextOf } from '../exchange/trace-context.ts';
import { completedRequest, type LogRequest } from './access-log.ts';
import type { RequestObserver } from './request-observer.ts';

/** Makes every request traceable: its ID, its line in the log, its metrics, its trace. */
export interface RequestTelemetry {
  onRequest(request: FastifyRequest, reply: FastifyReply): void;
  onResponse(request: FastifyRequest, reply: FastifyReply): void;
  /** A response to what could not be read as a request, or that no route could ever take. */
  onRawResponse(method: string | undefined, status: number): void;
  closed(exchange: Exchange): void;
}

/** @param observer notified of each request; without one there is only the log. */
export function requestTelemetry(
  app: FastifyInstance,
  observer: RequestObserver | undefined,
  logRequest: LogRequest,
): RequestTelemetry {
  const routes = new Set<string>();
  app.addHook('onRoute', ({ url }) => void routes.add(url));

  function routeOf(request: FastifyRequest): string | undefined {
    if (request.is404) return undefined;
    const { path } = exchangeOf(request.raw);
    // Fastify puts its options together whenever they are asked for: a whole microsecond.
    return routes.has(path) ? path : request.routeOptions.url;
  }

  return {
    onRequest(request, reply) {
      reply.header(requestIdHeader, request.id);
      const exchange = exchangeOf(request.raw);
      exchange.receivedAt = performance.now();
      if (!observer?.startSpan) return;
      exchange.span = observer.startSpan({
        method: knownMethod(request.method),
        route: routeOf(request),
        parent: traceContextOf(request.raw.headers),
        requestId: request.id,
      });
    },
    onResponse(request, reply) {
      const { statusCode } = reply.raw;
      logRequest(completedRequest(exchangeOf(request.raw), statusCode, reply.elapsedTime));
      observer?.completed(knownMethod(request.method), routeOf(request), statusCode, reply.elapsedTime / 1_000);
    },
    onRawResponse(method, status) {
      observer?.completed(knownMethod(method), undefined, status, undefined);
    },
    // Not in `onResponse`, which is not called if the client has gone away.
    closed(exchange) {
      const { span, response, receivedAt } = exchange;
      const isRead = response?.writableFinished;
      if (!isRead && receivedAt !== undefined)
        logRequest(completedRequest(exchange, undefined, performance.now() - receivedAt));
      span?.end(isRead ? response?.statusCode : undefined);
    },
  };
}

/** The method, or `_OTHER`: clients can make up as many as they like (OpenTelemetry's conventions for HTTP). */
function knownMethod(method: string | undefined): string {
  return method !== undefined && known.has(method) ? method : '_OTHER';
}

const known = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);
