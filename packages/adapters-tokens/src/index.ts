export type { FollowedFile, FollowOptions } from './follow-file.ts';
export {
  defaultJwtAlgorithms,
  isJwksUrl,
  type JwtAlgorithm,
  jwtAlgorithms,
  MAX_CLOCK_SKEW_SECONDS,
} from './jwt-settings.ts';
export { newToken, openTokenFile, parseTokenList, TokenList, tokenListVerifier } from './opaque-tokens.ts';
