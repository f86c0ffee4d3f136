/**
 * The signature algorithms that are accepted by default. SHA-512 is not included: few issuers use it, and refusing a forged
 * ES512 signature takes ten times the CPU of an ES256.
 */
export const defaultJwtAlgorithms = ['RS256', 'RS384', 'PS256', 'PS384', 'ES256', 'ES384', 'EdDSA', 'Ed25519'] as const;

/**
 * All supported algorithms (RFC 7518 section 3.1, RFC 8037, RFC 9864). All are asymmetric: with `none` anybody could sign, and
 * with HS256 and the like every verifier could.
 */
export const jwtAlgorithms = [...defaultJwtAlgorithms, 'RS512', 'PS512', 'ES512'] as const;

/** The name of a supported signature algorithm. */
export type JwtAlgorithm = (typeof jwtAlgorithms)[number];

/** The maximum clock skew, 300 s: «no more than a few minutes» (RFC 7519 section 4.1.4). */
export const MAX_CLOCK_SKEW_SECONDS = 300;
