import type { FastifyInstance } from 'fastify';
import { commonErrors, HttpError } from './errors.ts';

/** 10,000 subjects are counted at a time. Those that have sent nothing for the longest time are forgotten. */
const MAX_SUBJECTS = 10_000;

/**
 * Limits the requests per second of each subject of a scope that authenticates, so that one client cannot use up the limit of
 * another. A request beyond `max` gets `too-many-requests`, with `Retry-After`, before its body is read.
 */
export async function limitRate(scope: FastifyInstance, max: number): Promise<void> {
  await scope.register(import('@fastify/rate-limit'), {
    max,
    timeWindow: 1_000,
    cache: MAX_SUBJECTS,
    keyGenerator: ({ subject = '' }) => subject,
    errorResponseBuilder: () => new HttpError(commonErrors['too-many-requests']),
  });
}
