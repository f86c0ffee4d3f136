/**
 * The signature algorithms that a JWT may have (RFC 7518 section 3.1, RFC 8037, RFC 9864): those with a public key that
 * verifies and a private one that signs. `none` signs nothing; with HS256 and the like, any verifier could sign.
 */
export const jwtAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** One of {@link jwtAlgorithms}. */
export type JwtAlgorithm = (typeof jwtAlgorithms)[number];

/** All but those with SHA-512: few issuers use them, and refusing a forged ES512 takes ten times the CPU of an ES256. */
export const defaultJwtAlgorithms: readonly JwtAlgorithm[] = jwtAlgorithms.filter((name) => !name.endsWith('512'));

/** 300 s: «no more than a few minutes» (RFC 7519 section 4.1.4). */
export const MAX_CLOCK_SKEW_SECONDS = 300;
