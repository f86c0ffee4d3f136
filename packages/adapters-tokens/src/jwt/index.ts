export { type JwksFile, openJwksFile } from './jwks-file.ts';
export { type JwksUrl, type JwksUrlOptions, openJwksUrl } from './jwks-url.ts';
export { type JwtVerifierOptions, jwtVerifier } from './jwt-verifier.ts';
export type { KeySet, KeySource } from './key-set.ts';
