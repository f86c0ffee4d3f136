import type { FastifyBaseLogger } from 'fastify';
import type { Exchange } from '../exchange/exchange.ts';
import { type TraceContext, traceContextOf } from '../exchange/trace-context.ts';

/** A request that has ended, as the log has it. Neither its token nor its body is in it. */
export interface CompletedRequest {
  /** `warn` for a 503, which an operator can do something about; otherwise `info`. */
  readonly level: 'info' | 'warn';
  /** Its correlation ID, the `X-Request-Id` of the response. */
  readonly requestId: string;
  readonly method: string;
  /** Its path, without a query. The client chose it: it may be long, and hold any character that a target may have. */
  readonly path: string;
  /** Undefined if the connection was closed before the response had been read: by the client, unless there is a `reason`. */
  readonly status: number | undefined;
  /** The number of the Error record; undefined if it succeeded. */
  readonly error: number | undefined;
  /** Duration in milliseconds, with microseconds. */
  readonly ms: number;
  /** Why it failed; often more than the client was told. */
  readonly reason: string | undefined;
  /** The service's own span if it is traced here, else the client's; undefined if it is part of no trace. */
  readonly trace: TraceContext | undefined;
}

/** Logs requests that have ended. */
export type LogRequest = (request: CompletedRequest) => void;

/** Logs requests with a logger, a line each. */
export function logRequestsWith(log: FastifyBaseLogger): LogRequest {
  return ({ level, requestId, method, path, status, error, ms, reason, trace }) => {
    // pino leaves out what is undefined.
    const message = status === undefined ? REQUEST_ABORTED : REQUEST_COMPLETED;
    const line = { reqId: requestId, method, path, status, error, ms, reason };
    log[level](trace ? { ...line, trace_id: trace.traceId, span_id: trace.spanId } : line, message);
  };
}

/** The message of the line about a request that was responded to. */
export const REQUEST_COMPLETED = 'request completed';

/** The message of the line about one whose connection was closed before the response had been read. */
export const REQUEST_ABORTED = 'request aborted';

/** What the log has of a request. */
export function completedRequest(exchange: Exchange, status: number | undefined, ms: number): CompletedRequest {
  const { request, requestId, path, connection, errorNumber, failureReason, span } = exchange;
  return {
    level: status === 503 ? 'warn' : 'info',
    requestId,
    method: request.method ?? '',
    path,
    status,
    error: errorNumber,
    ms: Math.round(ms * 1_000) / 1_000,
    reason: (status === undefined ? connection.cutOffBecause : undefined) ?? failureReason,
    trace: span?.context ?? traceContextOf(request.headers),
  };
}
