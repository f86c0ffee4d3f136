export { developmentToken } from './development-token.ts';
export { hasTokens } from './has-tokens.ts';
export { listedTokens, openTokens } from './open-tokens.ts';
