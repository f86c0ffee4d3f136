import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpError } from './errors.ts';

/**
 * Counts, times and traces requests. It gets neither tokens nor bodies, and the values of `method` and `route` are bounded:
 * `_OTHER` is a method outside RFC 9110 and RFC 5789, and the route is undefined if none matches. Its methods must not throw.
 */
export interface RequestObserver {
  /** Called for every response. @param seconds undefined if the request was malformed. */
  completed(method: string, route: string | undefined, status: number, seconds: number | undefined): void;
  /** Called once, with a function that returns the number of requests in flight. */
  watch(requestsInFlight: () => number): void;
  /** Starts the span of a request as a child of the client's (`traceparent`). Without this method nothing is traced. */
  startSpan?(method: string, route: string | undefined, headers: IncomingHttpHeaders, requestId: string): RequestSpan;
}

/** The server span of a request. */
export interface RequestSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Runs the work of the request, with this span as the active one. */
  run<Result>(work: () => Result): Result;
  /** Ends the span. @param status undefined if the connection closed before the response was sent. */
  end(status: number | undefined): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The error response, if the request failed. */
    failure: HttpError | undefined;
    /** The span of the request, if it is traced. */
    span: RequestSpan | undefined;
  }
}

/** Valid IDs have 1 to 128 characters that need no escape in a log, a URL or a header. */
const requestIdSyntax = /^[\w.~:/+=@-]{1,128}$/;

/** The client's `X-Request-Id` if it is valid, else a new UUID. */
export function requestId({ headers: { 'x-request-id': given } }: IncomingMessage): string {
  return typeof given === 'string' && requestIdSyntax.test(given) ? given : randomUUID();
}

/** Records each request: its log line, its metrics and its span. */
export class RequestTelemetry {
  readonly #log: FastifyBaseLogger;
  readonly #observer: RequestObserver | undefined;
  #inFlight = 0;

  constructor(log: FastifyBaseLogger, observer: RequestObserver | undefined) {
    this.#log = log;
    this.#observer = observer;
    observer?.watch(() => this.#inFlight);
  }

  /** Must be called first for every request. @returns a function that must be called when its response is closed. */
  start(request: FastifyRequest, reply: FastifyReply): () => void {
    const startedAt = performance.now();
    const method = standardMethods.has(request.method) ? request.method : '_OTHER';
    const { config, url } = request.routeOptions;
    const route = request.is404 ? undefined : (config.operation?.path ?? url);
    const span = this.#observer?.startSpan?.(method, route, request.headers, request.id);
    request.span = span;
    this.#inFlight += 1;
    return () => {
      this.#inFlight -= 1;
      const ms = performance.now() - startedAt;
      const status = reply.raw.writableFinished ? reply.raw.statusCode : undefined;
      // An operator may have to act on a 503.
      const level = status === 503 ? 'warn' : 'info';
      this.#log[level](
        entry(request, status, ms, span),
        status === undefined ? 'request aborted' : 'request completed',
      );
      if (status !== undefined) this.#observer?.completed(method, route, status, ms / 1_000);
      span?.end(status);
    };
  }

  /** Must be called for every response to malformed HTTP. */
  rejectedMalformed(reqId: string, { status, record: { error }, reason }: HttpError): void {
    this.#log.info({ reqId, status, error, reason }, 'malformed request rejected');
    this.#observer?.completed('_OTHER', undefined, status, undefined);
  }
}

const standardMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

/** The path without scheme, authority, query and fragment, which may be secret. Every path of this service is below 256. */
const pathSyntax = /^(?:\w+:\/\/)?[^/?#]*([^?#]{0,256})/;

/** The fields of a request's log line: no token, query or body. pino omits undefined fields. */
function entry(request: FastifyRequest, status: number | undefined, ms: number, span: RequestSpan | undefined): object {
  const { id, method, url, failure, headers } = request;
  const [, path] = pathSyntax.exec(url) ?? [];
  const error = failure?.record.error;
  const fields = {
    reqId: id,
    method,
    path,
    status,
    error,
    ms: Math.round(ms * 1_000) / 1_000,
    reason: failure?.reason,
  };
  if (span) return { ...fields, trace_id: span.traceId, span_id: span.spanId };
  // Without a span of our own, log the client's trace context (W3C Trace Context).
  const context = headers['traceparent'];
  const [, trace_id, span_id] = (context !== undefined && traceparent.exec(String(context))) || [];
  return trace_id === undefined ? fields : { ...fields, trace_id, span_id };
}

const traceparent = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:-|$)/;
