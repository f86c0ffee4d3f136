import type { TokenVerifier } from '@plant-store/domain';
import type { FastifyRequest } from 'fastify';
import { anyRequest, HttpError } from './errors.ts';

const challenge = 'Bearer realm="plant-store"';

declare module 'fastify' {
  interface FastifyRequest {
    /** The subject of the accepted token: a name of the client that is safe to log. */
    subject: string;
  }
}

/**
 * Creates a hook that authenticates requests by a bearer token (RFC 6750) and sets their `subject`. It throws `missing-token`
 * or `token-not-accepted` with `WWW-Authenticate`, and forwards what the verifier throws.
 */
export function authenticate(tokens: TokenVerifier): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const { authorization = '' } = request.headers;
    const token = authorization.replace(bearer, '');
    if (token === '' || token === authorization)
      throw new HttpError(anyRequest['missing-token'], {
        headers: { 'www-authenticate': challenge },
        ...(authorization && { message: 'Authorization must be Bearer, a space and the token' }),
      });
    const verdict = await tokens.verify(token);
    if (!verdict.accepted)
      throw new HttpError(anyRequest['token-not-accepted'], {
        headers: { 'www-authenticate': `${challenge}, error="invalid_token"` },
        ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
      });
    request.subject = verdict.subject;
  };
}

/** `"Bearer" 1*SP b64token` (RFC 6750 section 2.1). The scheme is case-insensitive (RFC 9110 section 11.1). */
const bearer = /^bearer +/i;
