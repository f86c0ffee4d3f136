import rateLimit from '@fastify/rate-limit';
import { exchangeOf, HttpError } from '@plant-store/http-edge';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Limits how many requests a second each client may send. A client is the subject of its token, so a stranger cannot use
 * up another's share. Every process counts separately.
 */
export async function limitRate(
  app: FastifyInstance,
  perSecond: number,
): Promise<(request: FastifyRequest) => Promise<void>> {
  await app.register(rateLimit, { global: false });
  const count = app.createRateLimit({
    max: perSecond,
    timeWindow: 1_000,
    keyGenerator: ({ raw }) => exchangeOf(raw).subject ?? '',
  });
  /** @throws {HttpError} `too-many-requests`, with `Retry-After`. */
  return async (request) => {
    const result = await count(request);
    if (result.isAllowed || !result.isExceeded) return;
    throw rateLimitExceeded(perSecond, Math.max(1, result.ttlInSeconds));
  };
}

export function rateLimitExceeded(perSecond: number, retryAfterSeconds: number): HttpError {
  const message = `rate limit exceeded: at most ${perSecond} requests a second with this token`;
  return new HttpError('too-many-requests', message, { 'retry-after': String(retryAfterSeconds) });
}
