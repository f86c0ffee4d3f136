import type { FastifyReply, FastifyRequest } from 'fastify';
import { notedReason } from './noted-reason.ts';

/**
 * Writes the one line that every request has in the log, with the reason where the caller was told less. Neither its token
 * nor its body is in it.
 */
export function logAnswer(request: FastifyRequest, { statusCode, elapsedTime }: FastifyReply): void {
  const { id, log, raw } = request;
  const { method, url = '' } = raw;
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  const ms = Math.round(elapsedTime * 1_000) / 1_000;
  // pino leaves out what is undefined.
  log.info({ reqId: id, method, path, status: statusCode, ms, reason: notedReason(request) }, 'answered');
}
