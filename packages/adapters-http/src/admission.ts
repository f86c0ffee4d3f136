import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
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

/** The latest response of each connection. */
export const latest = new WeakMap<Duplex, ServerResponse>();

/** The connections whose further bytes and requests are ignored, because it is ambiguous where a request begins in them. */
export const closing = new WeakSet<Duplex>();

/**
 * Throws `malformed-http` for a request that Node's parser accepts but that a proxy may have read differently (RFC 9112 section
 * 11.2). The connection then closes after the response, and the bytes that follow are ignored, because they may be part of this request.
 */
export function rejectAmbiguous(request: IncomingMessage): void {
  const message = describeAmbiguity(request);
  if (message === undefined) return;
  closing.add(request.socket);
  throw new HttpError(commonErrors['malformed-http'], { message, headers: { connection: 'close' } });
}

/** `Host = uri-host [ ":" port ]` (RFC 9110 section 7.2). Any host is accepted. */
const hostSyntax = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i;

function describeAmbiguity(request: IncomingMessage): string | undefined {
  const { httpVersionMajor, httpVersion, url = '', headers } = request;
  if (httpVersionMajor !== 1) return 'use HTTP/1.1';
  if (url.includes('#') || url === '*') return 'send the path as the request target (RFC 9112, section 3.2)';
  if (headers.authorization?.includes(',') && request.headersDistinct['authorization']?.length !== 1)
    return 'send one Authorization header, not several';
  // Node joins several Host headers with a comma and a space, which a host cannot contain.
  if (headers.host === undefined ? httpVersion === '1.1' : !hostSyntax.test(headers.host))
    return 'send a Host header with a host and an optional port (RFC 9112, section 3.2)';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked'))
    return 'unsupported Transfer-Encoding: only chunked, in HTTP/1.1, is supported';
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return 'unsupported expectation: only 100-continue is supported';
  return undefined;
}

/**
 * Makes the operations of a scope throw `overloaded` while `max` of their requests are in flight. A request counts from its head, before
 * its token, body or JSON has cost anything, until its work ends. Fastify then runs `onSend`, also if the client has disconnected.
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
