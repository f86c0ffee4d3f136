import type { IncomingHttpHeaders } from 'node:http';
import type { TokenVerifier } from '@plant-store/domain';
import { RequestFailure } from '../errors/http-error.ts';

const challenge = 'Bearer realm="plant-store"';

/**
 * Lets a request in, or not, by its `Authorization` header alone.
 *
 * @returns the subject of the accepted token: a name for the caller that is safe to log.
 * @throws {RequestFailure} `missing-token` or `token-not-accepted`, with `WWW-Authenticate` (RFC 6750 section 3).
 * @throws {VerifierUnavailable} when the verifier cannot answer.
 */
export async function authenticate(headers: IncomingHttpHeaders, tokens: TokenVerifier): Promise<string> {
  const token = bearerToken(headers.authorization ?? '');
  if (token === '') {
    throw new RequestFailure(
      'missing-token',
      'send an Authorization header with "Bearer" and an access token',
      { 'www-authenticate': challenge },
      'no bearer token',
    );
  }
  const verdict = await tokens.verify(token);
  if (verdict.accepted) return verdict.subject;
  throw new RequestFailure(
    'token-not-accepted',
    'the access token is not accepted',
    { 'www-authenticate': `${challenge}, error="invalid_token"` },
    verdict.reason,
  );
}

/**
 * The token of `credentials = "Bearer" 1*SP b64token` (RFC 6750 section 2.1), empty where there is none. The scheme's case
 * does not matter (RFC 9110 section 11.1), and what the token may be made of is left to the verifier. No regular
 * expression: the engine would keep the last text that it matched, a token in the clear.
 */
function bearerToken(credentials: string): string {
  if (credentials.slice(0, 7).toLowerCase() !== 'bearer ') return '';
  let start = 7;
  while (credentials[start] === ' ') start += 1;
  return credentials.slice(start);
}
