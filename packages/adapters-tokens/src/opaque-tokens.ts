import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TokenVerdict, TokenVerifier } from '@plant-store/domain';
import { type FollowOptions, followFile } from './follow-file.ts';

/** The stored form of a token. It cannot be presented, and the token cannot be recovered from it. */
export interface TokenDigest {
  /** SHA-256 of the token's characters (FIPS 180-4), 32 bytes. */
  readonly bytes: Buffer;
  /** The name of the client in the log: `sha256:` and the first 8 hexadecimal digits. */
  readonly subject: string;
}

/** The minimum length of a token. A shorter one could be guessed from the first digits of its digest, which are logged. */
const MIN_TOKEN_LENGTH = 16;

/** The maximum length of a token: far more than `newToken` needs (49), and cheap to hash. */
const MAX_TOKEN_LENGTH = 1_024;

/**
 * Generates a token with 256 random bits. Its prefix lets people and secret scanners recognize it. The token is secret. The
 * entry, which makes a service accept it, is not.
 */
export function newToken(): { readonly token: string; readonly entry: string } {
  const token = `plant_${randomBytes(32).toString('base64url')}`;
  return { token, entry: `sha256:${sha256(token).toString('hex')}` };
}

/**
 * Parses an entry: a token in plaintext, or `sha256:` and the 64 hexadecimal digits of its SHA-256, as `printf %s TOKEN |
 * sha256sum` prints them. Surrounding white space is ignored.
 *
 * @throws {RangeError} if it is neither. The message does not contain the entry.
 */
export function parseTokenEntry(text: string): TokenDigest {
  const entry = text.trim();
  const isDigest = /^sha256:[0-9A-Fa-f]{64}$/.test(entry);
  // `b64token` of RFC 6750 section 2.1. The expression matches invalid text, because V8 keeps the last text that it matched.
  const isB64token = !/[^A-Za-z0-9\-._~+/=]|^=|=[^=]/.test(entry);
  if (!isDigest && !(isB64token && entry.length >= MIN_TOKEN_LENGTH && entry.length <= MAX_TOKEN_LENGTH))
    throw new RangeError(
      `expected a token of ${MIN_TOKEN_LENGTH} to ${MAX_TOKEN_LENGTH} of the characters A-Z a-z 0-9 - . _ ~ + / and = at its end (RFC 6750 section 2.1, b64token), or "sha256:" and the 64 hexadecimal digits of its digest (printf %s TOKEN | sha256sum prints them); this one has ${entry.length} characters`,
    );
  const bytes = isDigest ? Buffer.from(entry.slice('sha256:'.length), 'hex') : sha256(entry);
  return { bytes, subject: `sha256:${bytes.toString('hex', 0, 4)}` };
}

/**
 * Parses the comma-separated entries of an environment variable, or the lines of a file, where `#` starts a comment. Empty
 * entries are ignored.
 *
 * @throws {RangeError} if an entry is malformed, with its number; {@link NoToken} if there is none.
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
  if (digests.length === 0) throw new NoToken('it contains no token');
  return digests;
}

/** A list of tokens has no entry. */
class NoToken extends RangeError {
  override readonly name = 'NoToken';
}

/** The SHA-256 of a text in UTF-8, 32 bytes. */
export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** The digests of the tokens that are accepted now. They may change at any time. */
export interface TokenSource {
  readonly digests: readonly TokenDigest[];
}

/**
 * Creates a verifier that accepts the tokens whose digests are in one of the sources at the time of the call. A comparison
 * takes some 0.1 µs per digest: enough for hundreds of tokens, too slow for one per end user.
 */
export function digestVerifier(sources: readonly TokenSource[]): TokenVerifier {
  const wrongLength = `not a listed token, which has ${MIN_TOKEN_LENGTH}–${MAX_TOKEN_LENGTH} characters`;
  return {
    async verify(token): Promise<TokenVerdict> {
      // Bounds the CPU time of any request. The rule is public, so the reason may say it, and an operator who listed the digest
      // of a token that is too short finds it in the log.
      if (token.length < MIN_TOKEN_LENGTH || token.length > MAX_TOKEN_LENGTH)
        return { accepted: false, reason: wrongLength };
      const presented = sha256(token);
      let match: TokenDigest | undefined;
      // Compares all digests even after a match, so that the duration reveals nothing about them.
      for (const { digests } of sources)
        for (const digest of digests) if (timingSafeEqual(digest.bytes, presented)) match = digest;
      if (!match) return { accepted: false, reason: 'not a listed token' };
      const isCurrent = () => sources.some(({ digests }) => digests.includes(match));
      return { accepted: true, subject: match.subject, isCurrent };
    },
  };
}

/**
 * Opens a file of tokens in the format of `parseTokenList`, and follows it like {@link followFile}.
 * @throws {Error} with a message for the operator if the file is unusable at startup.
 */
export async function openTokenFile(options: FollowOptions): Promise<TokenSource & { close(): void }> {
  const isEmpty = (error: unknown) => error instanceof NoToken;
  const file = await followFile(options, (text) => parseTokenList(text, 'line'), [], isEmpty);
  return {
    get digests() {
      return file.current;
    },
    close: file.close,
  };
}
