/**
 * The signature algorithms that a JWT may have if the operator names none. Those with SHA-512 are not among them: few issuers
 * use them, and refusing a forged ES512 takes ten times the CPU of an ES256.
 */
export const defaultJwtAlgorithms = ['RS256', 'RS384', 'PS256', 'PS384', 'ES256', 'ES384', 'EdDSA', 'Ed25519'] as const;

/**
 * All that the operator may allow (RFC 7518 section 3.1, RFC 8037, RFC 9864): those with a public key that verifies and a
 * private one that signs. `none` signs nothing; with HS256 and the like, any verifier could sign.
 */
export const jwtAlgorithms = [...defaultJwtAlgorithms, 'RS512', 'PS512', 'ES512'] as const;

/** One of {@link jwtAlgorithms}. */
export type JwtAlgorithm = (typeof jwtAlgorithms)[number];

/** 300 s: «no more than a few minutes» (RFC 7519 section 4.1.4). */
export const MAX_CLOCK_SKEW_SECONDS = 300;
