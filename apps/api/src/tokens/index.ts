export { developmentToken, developmentTokenFile } from './development-token.ts';
export { checkTokens, hasTokens, openTokens } from './open-tokens.ts';
