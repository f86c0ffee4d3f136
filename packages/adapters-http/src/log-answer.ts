import type { FastifyReply, FastifyRequest } from 'fastify';

/** Writes the one line that every request has in the log. Neither its token nor its body is in it. */
export function logAnswer({ id, log, raw }: FastifyRequest, { statusCode, elapsedTime }: FastifyReply): void {
  const { method, url = '' } = raw;
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  log.info({ reqId: id, method, path, status: statusCode, ms: Math.round(elapsedTime * 1_000) / 1_000 }, 'answered');
}
