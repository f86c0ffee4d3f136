/**
 * The signature algorithms that are accepted by default: those that issuers use and whose check takes at most 0.1 ms, because
 * strangers can send forged tokens without a limit. ES384 takes 0.6 ms, and ES512 1.1 ms.
 */
export const defaultJwtAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const;

/**
 * All supported algorithms (RFC 7518 section 3.1, RFC 8037, RFC 9864). All are asymmetric: with `none` anybody could sign, and
 * with HS256 and the like every verifier could.
 */
export const jwtAlgorithms = [...defaultJwtAlgorithms, 'RS384', 'PS384', 'ES384', 'RS512', 'PS512', 'ES512'] as const;

/** The name of a supported signature algorithm. */
export type JwtAlgorithm = (typeof jwtAlgorithms)[number];

/** The maximum clock skew, 300 s: «no more than a few minutes» (RFC 7519 section 4.1.4). */
export const MAX_CLOCK_SKEW_SECONDS = 300;

/**
 * Parses the URL of a key set. It must use https, because keys that are changed in transit would allow forged tokens. http is
 * allowed on this machine (`localhost`, 127.0.0.0/8, `[::1]`). A user and password are rejected, because they would be logged
 * and fetch rejects them.
 *
 * @throws {RangeError} with the expected form. The message does not contain the URL.
 */
export function parseJwksUrl(text: string): URL {
  const url = URL.parse(text);
  // Anchored, because anybody may own 127.0.0.1.example.com.
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '');
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback);
  if (url && safe && url.username === '' && url.password === '') return url;
  throw new RangeError(
    'expected https://… without a user and a password, or http://… on this machine (localhost, 127.0.0.1, [::1])',
  );
}
