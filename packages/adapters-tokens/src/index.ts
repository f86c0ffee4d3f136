export { digestVerifier, type TokenSource } from './digest/digest-verifier.ts';
export { type NewToken, newToken } from './digest/new-token.ts';
export { parseTokenEntry, parseTokenList } from './digest/parse-token-entry.ts';
export { InvalidTokenEntry, type TokenDigest } from './digest/token-digest.ts';
export { openTokenFile, type TokenFile, type TokenFileOptions, TokenFileUnusable } from './digest/token-file.ts';
