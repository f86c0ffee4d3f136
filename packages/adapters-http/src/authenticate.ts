import type { TokenVerifier } from '@plant-store/domain';
import type { onRequestAsyncHookHandler } from 'fastify';
import { commonErrors, HttpError } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Names the client, once its token is accepted. */
    subject: string | undefined;
  }
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
