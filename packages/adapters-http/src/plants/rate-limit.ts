import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestFailure } from '../errors/http-error.ts';

/**
 * Makes the bound on how many requests a second each caller may send. A caller is whom a token names, so a stranger
 * cannot use up another's share. Every process counts for itself.
 */
export async function limitRate(
  app: FastifyInstance,
  perSecond: number,
): Promise<(request: FastifyRequest, subject: string) => Promise<void>> {
  const subjects = new WeakMap<FastifyRequest, string>();
  await app.register(rateLimit, { global: false });
  const count = app.createRateLimit({
    max: perSecond,
    timeWindow: 1_000,
    keyGenerator: (request) => subjects.get(request) ?? '',
  });
  /** @throws {RequestFailure} `too-many-requests`, with `Retry-After`. */
  return async (request, subject) => {
    subjects.set(request, subject);
    const result = await count(request);
    if (result.isAllowed || !result.isExceeded) return;
    throw new RequestFailure('too-many-requests', `send at most ${perSecond} requests a second with this token`, {
      'retry-after': String(Math.max(1, result.ttlInSeconds)),
    });
  };
}
