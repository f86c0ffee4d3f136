export { anyVerifier } from './any-verifier.ts';
export { digestVerifier, type TokenSource } from './digest/digest-verifier.ts';
export { newToken, parseTokenEntry, parseTokenList, type TokenDigest } from './digest/token-entry.ts';
export { openTokenFile } from './digest/token-file.ts';
export type { FollowOptions } from './follow-file.ts';
export { defaultJwtAlgorithms, type JwtAlgorithm, jwtAlgorithms, MAX_CLOCK_SKEW_SECONDS } from './jwt/accepted-jwts.ts';
export { parseJwksUrl } from './jwt/parse-jwks-url.ts';
export { ownershipFault } from './ownership-fault.ts';
