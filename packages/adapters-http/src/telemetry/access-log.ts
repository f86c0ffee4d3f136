import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { exchangeOf } from '../exchange/exchange.ts';
import { type TraceContext, traceContextOf } from '../exchange/trace-context.ts';

/** A completed request as the log has it. Neither its token nor its body is in it. */
export interface CompletedRequest {
  /** `warn` for a 503, which an operator can do something about; otherwise `info`. */
  readonly level: 'info' | 'warn';
  /** Its correlation ID, the `X-Request-Id` of the response. */
  readonly requestId: string;
  readonly method: string;
  /** Its path, without a query. The client chose it: it may be long, and hold any character that a target may have. */
  readonly path: string;
  readonly status: number;
  /** The number of the Error record; undefined if it succeeded. */
  readonly error: number | undefined;
  /** Duration in milliseconds, with microseconds. */
  readonly ms: number;
  /** Why it failed; often more than the client was told. */
  readonly reason: string | undefined;
  /** The service's own span if it is traced here, else the client's; undefined if it is part of no trace. */
  readonly trace: TraceContext | undefined;
}

/** Logs completed requests. */
export type LogRequest = (request: CompletedRequest) => void;

/** Logs completed requests with a logger, a line each. */
export function logRequestsWith(log: FastifyBaseLogger): LogRequest {
  return ({ level, requestId, method, path, status, error, ms, reason, trace }) => {
    // pino leaves out what is undefined.
    const line = { reqId: requestId, method, path, status, error, ms, reason };
    log[level](trace ? { ...line, trace_id: trace.traceId, span_id: trace.spanId } : line, REQUEST_COMPLETED);
  };
}

/** The message of such a line. */
export const REQUEST_COMPLETED = 'request completed';

/** What the log has of a request that was responded to. */
export function completedRequest(
  { id, raw }: FastifyRequest,
  { raw: { statusCode: status }, elapsedTime }: FastifyReply,
): CompletedRequest {
  const { path, errorNumber, failureReason, span } = exchangeOf(raw);
  return {
    level: status === 503 ? 'warn' : 'info',
    requestId: id,
    method: raw.method ?? '',
    path,
    status,
    error: errorNumber,
    ms: Math.round(elapsedTime * 1_000) / 1_000,
    reason: failureReason,
    trace: span?.context ?? traceContextOf(raw.headers),
  };
}
