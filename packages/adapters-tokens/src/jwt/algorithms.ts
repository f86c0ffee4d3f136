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
