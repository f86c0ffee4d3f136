export { type JwksUrlOptions, openJwksUrl } from './jwks-url.ts';
export { type JwtVerifierOptions, jwtVerifier } from './jwt-verifier.ts';
export { type KeySource, openJwksFile } from './key-set.ts';
