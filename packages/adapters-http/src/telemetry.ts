import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpError } from './errors.ts';

/**
 * Counts, times and traces requests. What it gets contains no token and nothing of a body, and the methods and routes are
 * from a fixed set, whatever clients send: `_OTHER` is a method that is none of RFC 9110 or RFC 5789, and a request that no
 * route takes has none. It must not throw.
 */
export interface RequestObserver {
  /** Called for every response. @param seconds undefined if what came could not be read as a request. */
  completed(method: string, route: string | undefined, status: number, seconds: number | undefined): void;
  /** Called once, with a function that returns the number of requests in flight. */
  watch(requestsInFlight: () => number): void;
  /** Begins to trace a request, as a part of the client's trace (`traceparent`). Without it, none is traced. */
  startSpan?(method: string, route: string | undefined, headers: IncomingHttpHeaders, requestId: string): RequestSpan;
}

/** The service's part in the trace of a request. */
export interface RequestSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** @param status undefined if the connection was closed before the response had been sent. */
  end(status: number | undefined): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Why it failed, if it did. */
    failure: HttpError | undefined;
  }
}

/** The IDs that a client may choose: 1 to 128 characters that need no escape in a log, a URL or a header. */
const requestIdSyntax = /^[\w.~:/+=@-]{1,128}$/;

/** The client's `X-Request-Id` if it is a valid one, else a new ID. */
export function requestId({ headers: { 'x-request-id': given } }: IncomingMessage): string {
  return typeof given === 'string' && requestIdSyntax.test(given) ? given : randomUUID();
}

/** Makes every request observable: its line in the log, its metrics, its span. */
export class RequestTelemetry {
  readonly #log: FastifyBaseLogger;
  readonly #observer: RequestObserver | undefined;
  #inFlight = 0;

  constructor(log: FastifyBaseLogger, observer: RequestObserver | undefined) {
    this.#log = log;
    this.#observer = observer;
    observer?.watch(() => this.#inFlight);
  }

  /** Has to be called for every request, before anything else is done with it. */
  begin(request: FastifyRequest, reply: FastifyReply): void {
    const startedAt = performance.now();
    const method = known.has(request.method) ? request.method : '_OTHER';
    const route = request.is404 ? undefined : request.routeOptions.url;
    const span = this.#observer?.startSpan?.(method, route, request.headers, request.id);
    this.#inFlight += 1;
    // Not `onResponse`, which is not called if the client has gone away.
    reply.raw.once('close', () => {
      this.#inFlight -= 1;
      const ms = performance.now() - startedAt;
      const status = reply.raw.writableFinished ? reply.raw.statusCode : undefined;
      // For a 503 an operator can do something.
      const level = status === 503 ? 'warn' : 'info';
      this.#log[level](line(request, status, ms, span), status === undefined ? 'request aborted' : 'request completed');
      if (status !== undefined) this.#observer?.completed(method, route, status, ms / 1_000);
      span?.end(status);
    });
  }

  /** Has to be called for every response to what could not be read as a request. */
  malformed(reqId: string, { status, record: { error }, reason }: HttpError): void {
    this.#log.info({ reqId, status, error, reason }, 'malformed request rejected');
    this.#observer?.completed('_OTHER', undefined, status, undefined);
  }
}

const known = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

/** Without scheme, authority, query and fragment, which may be secret; every path of this service is shorter than 256. */
const pathSyntax = /^(?:\w+:\/\/)?[^/?#]*([^?#]{0,256})/;

/** What the log has of a request: neither its token nor its query nor its body. pino leaves out what is undefined. */
function line(request: FastifyRequest, status: number | undefined, ms: number, span: RequestSpan | undefined): object {
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
  // The client's own place in a trace (W3C Trace Context).
  const [, trace_id, span_id] = traceparent.exec(String(headers['traceparent'] ?? '')) ?? [];
  return trace_id === undefined ? fields : { ...fields, trace_id, span_id };
}

const traceparent = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:-|$)/;
