import { hash, randomBytes } from 'node:crypto';

/** All that is stored of a token: it cannot be presented, and the token cannot be recovered from it. */
export interface TokenDigest {
  /** SHA-256 of the token's characters (FIPS 180-4), 32 bytes. */
  readonly bytes: Buffer;
  /** A name for the client that presents the token, safe to log: `sha256:` and the first 8 hexadecimal digits. */
  readonly subject: string;
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
 * @throws {RangeError} if it is neither; the message never shows what was written.
 */
export function parseTokenEntry(text: string): TokenDigest {
  const entry = text.trim();
  const isDigest = /^sha256:[0-9A-Fa-f]{64}$/.test(entry);
  // `b64token` of RFC 6750 section 2.1. It matches what is wrong, because V8 keeps the text that an expression matched last.
  const isB64token = !/[^A-Za-z0-9\-._~+/=]|^=|=[^=]/.test(entry);
  if (!isDigest && !(isB64token && entry.length >= MIN_TOKEN_LENGTH && entry.length <= MAX_TOKEN_LENGTH))
    throw new RangeError(
      `expected a token of ${MIN_TOKEN_LENGTH} to ${MAX_TOKEN_LENGTH} of the characters A-Z a-z 0-9 - . _ ~ + / and = at its end (RFC 6750 section 2.1, b64token), or "sha256:" and the 64 hexadecimal digits of its digest (printf %s TOKEN | sha256sum prints them); this one has ${entry.length} characters`,
    );
  const bytes = isDigest ? Buffer.from(entry.slice('sha256:'.length), 'hex') : sha256(entry);
  return { bytes, subject: `sha256:${bytes.toString('hex', 0, 4)}` };
}

/**
 * Reads the entries of an environment variable, with commas between them, or the lines of a file, where `#` begins a
 * comment. Empty ones are ignored.
 *
 * @throws {RangeError} if one is malformed, with its number, or if there is none.
 */
export function parseTokenList(text: string, unit: 'entry' | 'line' = 'entry'): readonly TokenDigest[] {
  const digests = text.split(unit === 'line' ? '\n' : ',').flatMap((entry, at) => {
    if (entry.trim() === '' || (unit === 'line' && entry.trimStart().startsWith('#'))) return [];
    try {
      return [parseTokenEntry(entry)];
    } catch (error) {
      throw new RangeError(`${unit} ${at + 1}: ${(error as Error).message}`);
    }
  });
  if (digests.length === 0) throw new RangeError('it contains no token');
  return digests;
}

/** SHA-256 of a text's UTF-8. */
export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
