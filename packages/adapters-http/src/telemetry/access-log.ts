import type { FastifyReply, FastifyRequest } from 'fastify';
import { exchangeOf } from '../exchange/exchange.ts';
import { traceContextOf } from '../exchange/trace-context.ts';

/**
 * Logs a completed request, in one line, with the reason for a failure if the response said less. Neither its token nor
 * its body is in it. If the request is part of a trace, the line has the IDs of the trace and of the span: the service's
 * own span if it is traced here, else the client's.
 */
export function logRequest({ id, log, raw }: FastifyRequest, { raw: { statusCode }, elapsedTime }: FastifyReply): void {
  const { path, failureReason, span } = exchangeOf(raw);
  const ms = Math.round(elapsedTime * 1_000) / 1_000;
  // pino leaves out what is undefined.
  const line = { reqId: id, method: raw.method, path, status: statusCode, ms, reason: failureReason };
  const trace = span?.context ?? traceContextOf(raw.headers);
  log.info(trace ? { ...line, trace_id: trace.traceId, span_id: trace.spanId } : line, 'request completed');
}
