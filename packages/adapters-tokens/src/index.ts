export type { FollowedFile, FollowOptions } from './follow-file.ts';
export * from './jwt-settings.ts';
export { newToken, openTokenFile, parseTokenList, TokenList, tokenListVerifier } from './opaque-tokens.ts';
