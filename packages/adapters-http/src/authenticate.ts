import type { TokenVerifier } from '@plant-store/domain';
import type { FastifyRequest } from 'fastify';
import { HttpError } from './errors.ts';

const challenge = 'Bearer realm="plant-store"';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose token it has: a name that is safe to log. */
    subject: string;
  }
}

/**
 * Makes a hook that lets requests with an accepted bearer token through (RFC 6750), and gives them their `subject`: it throws
 * `missing-token` or `token-not-accepted`, with `WWW-Authenticate`, and what the verifier throws.
 */
export function authenticate(tokens: TokenVerifier): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const { authorization = '' } = request.headers;
    const token = authorization.replace(bearer, '');
    if (token === '' || token === authorization)
      throw new HttpError('missing-token', { headers: { 'www-authenticate': challenge } });
    const verdict = await tokens.verify(token);
    if (!verdict.accepted)
      throw new HttpError('token-not-accepted', {
        headers: { 'www-authenticate': `${challenge}, error="invalid_token"` },
        ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
      });
    request.subject = verdict.subject;
  };
}

/**
 * `credentials = "Bearer" 1*SP b64token` (RFC 6750 section 2.1). The scheme's case does not matter (RFC 9110 section 11.1), and
 * the verifier decides what a token may be made of.
 */
const bearer = /^bearer +/i;
