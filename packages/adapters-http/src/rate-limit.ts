import rateLimit, { type FastifyRateLimitOptions, type FastifyRateLimitStore } from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { anyRequest, HttpError } from './errors.ts';

/**
 * Limits the requests per second of each subject, so that one client cannot use up the limit of another. A request beyond the
 * limit gets `too-many-requests`.
 */
export async function limitRate(app: FastifyInstance, max: number): Promise<void> {
  await app.register(rateLimit, {
    max,
    timeWindow: 1_000,
    keyGenerator: ({ subject }) => subject,
    errorResponseBuilder: () => new HttpError(anyRequest['too-many-requests']),
    store: Counts,
  });
}

/** Counts the requests of all subjects in one window. The plugin's own store would stretch it if the clock is set back. */
class Counts implements FastifyRateLimitStore {
  #counts = new Map<string, number>();
  #since = -Infinity;

  incr(subject: string, done: Parameters<FastifyRateLimitStore['incr']>[1], timeWindow = 1_000): void {
    const now = performance.now();
    if (now - this.#since >= timeWindow) [this.#counts, this.#since] = [new Map(), now];
    const current = (this.#counts.get(subject) ?? 0) + 1;
    this.#counts.set(subject, current);
    done(null, { current, ttl: this.#since + timeWindow - now });
  }

  child(_route: FastifyRateLimitOptions): this {
    return this;
  }
}
