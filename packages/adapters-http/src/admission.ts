import type { TokenVerifier } from '@plant-store/domain';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { commonErrors, HttpError } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the request is counted as in flight. */
    isInFlight: boolean;
    /** Names the client, once its token is accepted. */
    subject: string | undefined;
  }
}

/**
 * Makes the operations of a scope throw `overloaded` while `max` of their requests are in flight. A request counts from its head, before
 * its token, body or JSON has cost anything, until its work ends. Of a client that disconnects the work ends as well: so the hook
 * `onSend` is where every request ends, and nothing can keep a place.
 *
 * @returns the number of requests in flight.
 */
export function limitInFlight(scope: FastifyInstance, max: number): () => number {
  let inFlight = 0;
  scope.decorateRequest('isInFlight', false);
  scope.addHook('onRequest', (request, _reply, done) => {
    if (inFlight >= max) throw new HttpError(commonErrors.overloaded);
    inFlight += 1;
    request.isInFlight = true;
    done();
  });
  // Fastify runs the hook again if another one throws.
  scope.addHook('onSend', (request: FastifyRequest, _reply, payload, done) => {
    if (request.isInFlight) inFlight -= 1;
    request.isInFlight = false;
    done(null, payload);
  });
  return () => inFlight;
}

const challenge = 'Bearer realm="plant-store"';

/**
 * Creates a hook that authenticates requests by a bearer token (RFC 6750). It throws `missing-token` or
 * `token-not-accepted` with `WWW-Authenticate`, and forwards what the verifier throws.
 */
export function authenticate(tokens: TokenVerifier): onRequestAsyncHookHandler {
  return async (request) => {
    const { authorization = '' } = request.headers;
    const token = authorization.replace(bearer, '');
    if (token === '' || token === authorization)
      throw new HttpError(commonErrors['missing-token'], {
        headers: { 'www-authenticate': challenge },
        ...(authorization && { message: 'Authorization must be Bearer, a space and the token' }),
      });
    const verdict = await tokens.verify(token);
    if (!verdict.accepted)
      throw new HttpError(commonErrors['token-not-accepted'], {
        headers: { 'www-authenticate': `${challenge}, error="invalid_token"` },
        ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
      });
    request.subject = verdict.subject;
  };
}

/** `"Bearer" 1*SP b64token` (RFC 6750 section 2.1). The scheme is case-insensitive (RFC 9110 section 11.1). */
const bearer = /^bearer +/i;

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
