import type { FastifyInstance, FastifyRequest } from 'fastify';
import { commonErrors, HttpError } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the request is counted as in flight. */
    isInFlight: boolean;
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
