import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestIdHeader } from '../exchange/request-id.ts';
import { logAnswer } from './access-log.ts';
import { pathOf } from './path-of.ts';
import type { RequestObserver, RequestSpan } from './request-observer.ts';
import { traceContextOf } from './trace-context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The service's part in the trace of this request; undefined where it is not traced. */
    span: RequestSpan | undefined;
  }
}

/** What is done for every request so that it can be found again: its id, its line in the log, its figures, its trace. */
export interface RequestTelemetry {
  onRequest(request: FastifyRequest, reply: FastifyReply): void;
  onAnswer(request: FastifyRequest, reply: FastifyReply): void;
  /** An answer to what could not be read as a request, or is one that no route could ever take. */
  onAnswerToNoRequest(method: string | undefined, status: number): void;
}

/** @param observer is told of each request; without one there is the log alone. */
export function requestTelemetry(app: FastifyInstance, observer: RequestObserver | undefined): RequestTelemetry {
  app.decorateRequest('span', undefined);
  const routes = new Set<string>();
  app.addHook('onRoute', ({ url }) => void routes.add(url));

  function routeOf(request: FastifyRequest): string | undefined {
    if (request.is404) return undefined;
    const path = pathOf(request.raw);
    // Fastify puts its options together whenever they are asked for: a whole microsecond.
    return routes.has(path) ? path : request.routeOptions.url;
  }

  return {
    onRequest(request, reply) {
      reply.header(requestIdHeader, request.id);
      if (!observer?.startSpan) return;
      const span = observer.startSpan({
        method: knownMethod(request.method),
        route: routeOf(request),
        parent: traceContextOf(request.raw.headers),
        requestId: request.id,
      });
      request.span = span;
      // Not `onResponse`, which is not called where the caller has gone away.
      reply.raw.once('close', () => span.end(reply.raw.writableFinished ? reply.raw.statusCode : undefined));
    },
    onAnswer(request, reply) {
      logAnswer(request, reply);
      if (!observer) return;
      const { statusCode } = reply.raw;
      observer.answered(knownMethod(request.method), routeOf(request), statusCode, reply.elapsedTime / 1_000);
    },
    onAnswerToNoRequest(method, status) {
      observer?.answered(knownMethod(method), undefined, status, undefined);
    },
  };
}

/** A method by its name, or `_OTHER`: callers can make up as many as they like (OpenTelemetry's conventions for HTTP). */
function knownMethod(method: string | undefined): string {
  return method !== undefined && known.has(method) ? method : '_OTHER';
}

const known = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);
