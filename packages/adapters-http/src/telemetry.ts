import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpError } from './errors.ts';

/**
 * Counts and times requests. It gets neither tokens nor bodies, and the values of `method` and `route` are bounded: `_OTHER` is a
 * method outside RFC 9110 and RFC 5789, and the route is undefined if none matches. Its methods must not throw.
 */
export interface RequestObserver {
  /** Called for each response that was sent. @param seconds undefined if the request was malformed. */
  completed(method: string, route: string | undefined, status: number, seconds: number | undefined): void;
  /** Called once, with a function that returns the number of requests in flight, which `maxRequestsInFlight` limits. */
  watch(requestsInFlight: () => number): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The error response, if the request failed. */
    failure: HttpError | undefined;
  }
}

/** Valid IDs have 1 to 128 characters that need no escape in a log, a URL or a header. */
const requestIdSyntax = /^[\w.~:/+=@-]{1,128}$/;

/** The client's `X-Request-Id` if it is valid, else a new UUID. */
export function chooseRequestId({ headers: { 'x-request-id': given } }: IncomingMessage): string {
  return typeof given === 'string' && requestIdSyntax.test(given) ? given : randomUUID();
}

/** What {@link recordRequests} creates. */
export type Telemetry = ReturnType<typeof recordRequests>;

/** Creates what records the requests of a server: their log lines and their metrics. */
export function recordRequests(log: FastifyBaseLogger, observer: RequestObserver | undefined) {
  return {
    /** Must be called first for every request. */
    start(request: FastifyRequest, reply: FastifyReply): void {
      const startedAt = performance.now();
      // Fastify does not call `onResponse` if the client has disconnected.
      reply.raw.once('close', () => {
        const ms = performance.now() - startedAt;
        const status = reply.raw.writableFinished ? reply.raw.statusCode : undefined;
        // An operator may have to act on a 503.
        const level = status === 503 ? 'warn' : 'info';
        log[level](toLogEntry(request, status, ms), status === undefined ? 'request aborted' : 'request completed');
        if (status === undefined) return;
        const method = standardMethods.has(request.method) ? request.method : '_OTHER';
        const route = request.is404 ? undefined : request.routeOptions.url;
        observer?.completed(method, route, status, ms / 1_000);
      });
    },
    /** Must be called for every response to malformed HTTP. */
    rejectedMalformed(reqId: string, { kind: { status, error }, reason }: HttpError): void {
      log.info({ reqId, status, error, reason }, 'malformed request rejected');
      observer?.completed('_OTHER', undefined, status, undefined);
    },
  };
}

const standardMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

/** The path without scheme, authority, query and fragment, which may be secret. The paths of this service are shorter than 256. */
const pathSyntax = /^(?:\w+:\/\/)?[^/?#]*([^?#]{0,256})/;

/** The trace of the client (W3C Trace Context). */
const traceparent = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}(?:-|$)/;

/** The fields of a request's log line: no token, query or body. pino omits undefined fields. */
function toLogEntry(
  { id, method, url, headers, subject, failure }: FastifyRequest,
  status: number | undefined,
  ms: number,
): object {
  return {
    reqId: id,
    trace_id: traceparent.exec(String(headers['traceparent']))?.[1],
    method,
    path: pathSyntax.exec(url)?.[1],
    status,
    error: failure?.kind.error,
    ms: Math.round(ms * 1_000) / 1_000,
    client: subject,
    reason: failure?.reason,
  };
}
