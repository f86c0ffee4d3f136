export { checkTokens } from './check-tokens.ts';
export { developmentToken, developmentTokenFile } from './development-token.ts';
export { hasTokens } from './has-tokens.ts';
export { openTokens } from './open-tokens.ts';
