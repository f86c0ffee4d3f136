import type { FastifyRequest } from 'fastify';

const reasons = new WeakMap<FastifyRequest, string>();

/** Keeps why a request failed for the line that it gets in the log, where there is more to say than the caller is told. */
export function noteReason(request: FastifyRequest, reason: string | undefined): void {
  if (reason !== undefined) reasons.set(request, reason);
}

/** What was noted for the request, if anything. */
export function notedReason(request: FastifyRequest): string | undefined {
  return reasons.get(request);
}
