import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Exchange, exchangeOf } from '../exchange/exchange.ts';
import { requestIdHeader } from '../exchange/request-id.ts';
import { traceContextOf } from '../exchange/trace-context.ts';
import { completedRequest, type LogRequest } from './access-log.ts';
import type { RequestObserver } from './request-observer.ts';

/** Makes every request traceable: its ID, its line in the log, its metrics, its trace. */
export interface RequestTelemetry {
  onRequest(request: FastifyRequest, reply: FastifyReply): void;
  /** The client has read the response, or the connection is gone. */
  closed(exchange: Exchange): void;
  /** A response to what could not be read as a request, or that no route could ever take. */
  onRawResponse(method: string | undefined, status: number): void;
}

/** @param observer notified of each request; without one there is only the log. */
export function requestTelemetry(
  app: FastifyInstance,
  observer: RequestObserver | undefined,
  logRequest: LogRequest,
): RequestTelemetry {
  const routes = new Set<string>();
  app.addHook('onRoute', ({ url }) => void routes.add(url));

  function routeOf(request: FastifyRequest, path: string): string | undefined {
    if (request.is404) return undefined;
    // Fastify puts its options together whenever they are asked for: a whole microsecond.
    return routes.has(path) ? path : request.routeOptions.url;
  }

  return {
    onRequest(request, reply) {
      const exchange = exchangeOf(request.raw);
      reply.header(requestIdHeader, exchange.requestId);
      exchange.receivedAt = performance.now();
      exchange.route = routeOf(request, exchange.path);
      if (!observer?.startSpan) return;
      exchange.span = observer.startSpan({
        method: knownMethod(request.method),
        route: exchange.route,
        parent: traceContextOf(request.raw.headers),
        requestId: exchange.requestId,
      });
    },
    // Not Fastify's `onResponse`, which costs two more listeners, and is not called if the client has gone away.
    closed(exchange) {
      const { request, response, route, receivedAt, span, isRead } = exchange;
      if (receivedAt === undefined) return;
      const ms = performance.now() - receivedAt;
      const status = isRead ? response?.statusCode : undefined;
      logRequest(completedRequest(exchange, status, ms));
      if (status !== undefined) observer?.completed(knownMethod(request.method), route, status, ms / 1_000);
      span?.end(status, exchange.connection.cutOffBecause !== undefined);
    },
    onRawResponse(method, status) {
      observer?.completed(knownMethod(method), undefined, status, undefined);
    },
  };
}

/** The method, or `_OTHER`: clients can make up as many as they like (OpenTelemetry's conventions for HTTP). */
function knownMethod(method: string | undefined): string {
  return method !== undefined && known.has(method) ? method : '_OTHER';
}

const known = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);
