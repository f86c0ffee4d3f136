import { hash, randomBytes } from 'node:crypto';

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

/** A shorter token could be guessed from the first digits of its digest, which are in the logs. */
export const MIN_TOKEN_LENGTH = 16;

/** Far more than randomness needs (`newToken` takes 49), and cheap to hash for any client. */
export const MAX_TOKEN_LENGTH = 1_024;

/**
 * Makes a token that cannot be guessed: 256 random bits. The prefix lets people and secret scanners recognize it.
 * The token is for its bearer only; the entry makes a service accept it, and is not secret.
 */
export function newToken(): { readonly token: string; readonly entry: string } {
  const token = `plant_${randomBytes(32).toString('base64url')}`;
  return { token, entry: `sha256:${sha256(token).toString('hex')}` };
}

/**
 * Reads one entry as an operator writes it: a token in the clear, or `sha256:` and the 64 hexadecimal digits of its
 * digest, as `printf %s TOKEN | sha256sum` prints them. White space around it is ignored.
 *
 * @throws {InvalidTokenEntry} if it is neither.
 */
export function parseTokenEntry(text: string): TokenDigest {
  const entry = text.trim();
  const bytes = entry.startsWith('sha256:') ? parseDigest(entry.slice('sha256:'.length)) : digestOfToken(entry);
  return { bytes, subject: `sha256:${bytes.toString('hex', 0, 4)}` };
}

function parseDigest(digits: string): Buffer {
  if (/^[0-9a-f]{64}$/i.test(digits)) return Buffer.from(digits, 'hex');
  throw new InvalidTokenEntry(
    `after "sha256:" there must be 64 hexadecimal digits (printf %s TOKEN | sha256sum prints them); this one has ${digits.length} characters there`,
  );
}

function digestOfToken(token: string): Buffer {
  // `b64token` of RFC 6750 section 2.1. It matches what is wrong, because V8 keeps the text that an expression matched last.
  const isB64token = !/[^A-Za-z0-9\-._~+/=]|^=|=[^=]/.test(token);
  if (isB64token && token.length >= MIN_TOKEN_LENGTH && token.length <= MAX_TOKEN_LENGTH) return sha256(token);
  throw new InvalidTokenEntry(
    `a token must have ${MIN_TOKEN_LENGTH} to ${MAX_TOKEN_LENGTH} of the characters A-Z a-z 0-9 - . _ ~ + / and = at its end (RFC 6750 section 2.1, b64token); this one has ${token.length} characters. Write another token, or "sha256:" and the 64 hexadecimal digits of its digest`,
  );
}

/**
 * Reads the entries of an environment variable, with commas between them, or the lines of a file, where `#` begins a
 * comment. Empty ones are ignored.
 *
 * @throws {InvalidTokenEntry} if one is malformed, with its number.
 */
export function parseTokenList(text: string, unit: 'entry' | 'line' = 'entry'): readonly TokenDigest[] {
  return text.split(unit === 'line' ? '\n' : ',').flatMap((part, at) => {
    const entry = part.trim();
    if (entry === '' || (unit === 'line' && entry.startsWith('#'))) return [];
    try {
      return [parseTokenEntry(entry)];
    } catch (error) {
      throw new InvalidTokenEntry(`${unit} ${at + 1}: ${(error as InvalidTokenEntry).message}`);
    }
  });
}

/** SHA-256 of a text's UTF-8. */
export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
