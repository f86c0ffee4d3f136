import type { IncomingHttpHeaders } from 'node:http';
import type { TokenVerifier } from '@plant-store/domain';
import { RequestFailure } from './request-failure.ts';

/** `credentials = "Bearer" 1*SP b64token` (RFC 6750 section 2.1), the token left to the verifier; the scheme's case does not matter (RFC 9110 section 11.1). */
const bearer = /^bearer(?: +(.*))?$/i;
const challenge = 'Bearer realm="plant-store"';

/**
 * Lets a request in, or not, by its `Authorization` header alone.
 *
 * @returns the subject of the accepted token: a name for the caller that is safe to log.
 * @throws {RequestFailure} `missing-token` or `token-not-accepted`, with `WWW-Authenticate` (RFC 6750 section 3).
 * @throws {VerifierUnavailable} when the verifier cannot answer.
 */
export async function authenticate(headers: IncomingHttpHeaders, tokens: TokenVerifier): Promise<string> {
  const credentials = bearer.exec(headers.authorization ?? '');
  const token = credentials?.[1] ?? '';
  if (token === '') {
    throw new RequestFailure('missing-token', 'send an Authorization header with "Bearer" and an access token', {
      'www-authenticate': challenge,
    });
  }
  const verdict = await tokens.verify(token);
  if (verdict.accepted) return verdict.subject;
  throw new RequestFailure('token-not-accepted', 'the access token is not accepted', {
    'www-authenticate': `${challenge}, error="invalid_token"`,
  });
}
