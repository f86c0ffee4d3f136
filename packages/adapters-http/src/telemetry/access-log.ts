import type { FastifyReply, FastifyRequest } from 'fastify';
import { notedReason } from '../exchange/noted-reason.ts';
import { pathOf } from './path-of.ts';
import { traceContextOf } from './trace-context.ts';

/**
 * Writes the one line that every request has in the log, with the reason where the caller was told less. Neither its token
 * nor its body is in it. Where the request is part of a trace, the trace's id and the span's are: the service's own where
 * it is traced here, else the caller's.
 */
export function logAnswer(request: FastifyRequest, { raw: { statusCode }, elapsedTime }: FastifyReply): void {
  const { id, log, raw, span } = request;
  const { method } = raw;
  const path = pathOf(raw);
  const ms = Math.round(elapsedTime * 1_000) / 1_000;
  // pino leaves out what is undefined.
  const line = { reqId: id, method, path, status: statusCode, ms, reason: notedReason(request) };
  const trace = span?.context ?? traceContextOf(raw.headers);
  log.info(trace ? { ...line, trace_id: trace.traceId, span_id: trace.spanId } : line, 'answered');
}
