import { hash } from 'node:crypto';

/** All that is stored of a token: it cannot be presented, and the token cannot be recovered from it. */
export interface TokenDigest {
  /** SHA-256 of the token's characters (FIPS 180-4), 32 bytes. */
  readonly bytes: Buffer;
  /** A name for the client that presents the token, safe to log: `sha256:` and the first 8 hexadecimal digits. */
  readonly subject: string;
}

/** What an operator wrote is not an entry. The message says what is wrong and never shows what was written. */
export class InvalidTokenEntry extends Error {
  override readonly name = 'InvalidTokenEntry';
}

/**
 * 16 characters. The first digits of a token's digest are in the logs, where guesses can be tried against them for any length
 * of time: a shorter token would be found.
 */
export const MIN_TOKEN_LENGTH = 16;

/** 1,024 characters: far more than randomness needs (`newToken` takes 49), and cheap to hash for any client. */
export const MAX_TOKEN_LENGTH = 1_024;

/** Whether the text can be sent as a bearer token at all: `b64token` of RFC 6750 section 2.1. */
export function isB64token(text: string): boolean {
  // No regular expression: V8 keeps the text that one matched last (RegExp.lastMatch), and no token must be retained.
  let end = text.length;
  while (text[end - 1] === '=') end -= 1;
  for (let at = 0; at < end; at += 1) if (!alphabet.has(text.charAt(at))) return false;
  return end > 0;
}

/** The digest with these 32 bytes. */
export function tokenDigest(bytes: Buffer): TokenDigest {
  return { bytes, subject: `sha256:${bytes.toString('hex', 0, 4)}` };
}

/** SHA-256 of a text's UTF-8 or of bytes. */
export function sha256(data: string | Buffer): Buffer {
  return hash('sha256', data, 'buffer');
}

const alphabet: ReadonlySet<string> = new Set('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/');
