export { openJwksFile } from './jwks-file.ts';
export { type JwksUrlOptions, openJwksUrl } from './jwks-url.ts';
export { type JwtVerifierOptions, jwtVerifier } from './jwt-verifier.ts';
export type { KeySource } from './key-set.ts';
