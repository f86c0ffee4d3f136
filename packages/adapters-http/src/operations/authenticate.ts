import type { IncomingHttpHeaders } from 'node:http';
import type { TokenVerifier } from '@plant-store/domain';
import { HttpError } from '@plant-store/http-edge';

const challenge = 'Bearer realm="plant-store"';

/**
 * Authenticates a request by its `Authorization` header alone.
 *
 * @returns the subject of the accepted token: a name for the client that is safe to log.
 * @throws {HttpError} `missing-token` or `token-not-accepted`, with `WWW-Authenticate` (RFC 6750 section 3).
 * @throws {VerifierUnavailable} if the verifier cannot respond.
 */
export async function authenticate(headers: IncomingHttpHeaders, tokens: TokenVerifier): Promise<string> {
  const token = bearerToken(headers.authorization ?? '');
  if (token === '') throw missingToken();
  const verdict = await tokens.verify(token);
  if (verdict.accepted) return verdict.subject;
  throw tokenNotAccepted(verdict.reason);
}

export function missingToken(): HttpError {
  const message = 'send an Authorization header with "Bearer" and an access token';
  return new HttpError('missing-token', message, { 'www-authenticate': challenge }, 'no bearer token');
}

/** @param reason for the log only. */
export function tokenNotAccepted(reason?: string): HttpError {
  const invalid = { 'www-authenticate': `${challenge}, error="invalid_token"` };
  return new HttpError('token-not-accepted', 'the access token is not accepted', invalid, reason);
}

/**
 * The token of `credentials = "Bearer" 1*SP b64token` (RFC 6750 section 2.1), empty if there is none. The scheme's case
 * does not matter (RFC 9110 section 11.1), and the verifier decides what a token may be made of. No regular expression: the
 * engine would keep the last text that it matched, a token in plain text.
 */
function bearerToken(credentials: string): string {
  if (credentials.slice(0, 7).toLowerCase() !== 'bearer ') return '';
  let start = 7;
  while (credentials[start] === ' ') start += 1;
  return credentials.slice(start);
}
