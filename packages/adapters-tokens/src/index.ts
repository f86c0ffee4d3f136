export { anyVerifier } from './any-verifier.ts';
export { type FollowOptions, ownershipFault } from './follow-file.ts';
export {
  defaultJwtAlgorithms,
  type JwtAlgorithm,
  jwtAlgorithms,
  MAX_CLOCK_SKEW_SECONDS,
  parseJwksUrl,
} from './jwt/settings.ts';
export {
  digestVerifier,
  newToken,
  openTokenFile,
  parseTokenEntry,
  parseTokenList,
  type TokenDigest,
  type TokenSource,
} from './opaque-tokens.ts';
