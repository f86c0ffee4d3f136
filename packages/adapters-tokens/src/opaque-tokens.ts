import { hash, randomBytes } from 'node:crypto';
import type { TokenVerifier } from '@plant-store/domain';
import { type FollowedFile, type FollowOptions, fail, followFile, type Report } from './follow-file.ts';

/** A shorter token could be guessed from the first digits of its digest, which are logged. A longer one would cost time to hash. */
const TOKEN_LENGTH = { min: 16, max: 1_024 };

/**
 * Generates a token with 256 random bits. Its prefix lets people and secret scanners recognize it. The token is secret. The
 * entry, which makes a service accept it, is not.
 */
export function newToken(): { readonly token: string; readonly entry: string } {
  const token = `plant_${randomBytes(32).toString('base64url')}`;
  return { token, entry: `sha256:${sha256(token)}` };
}

/** `sha256:` and 64 hexadecimal digits, or `b64token` of RFC 6750 section 2.1. */
const digestSyntax = /^sha256:([0-9a-f]{64})$/i;
const tokenSyntax = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * Parses entries between commas or line breaks. An entry is a token in plaintext, or `sha256:` and the 64 hexadecimal digits of its
 * SHA-256, as `printf %s TOKEN | sha256sum` prints them. White space around entries, empty ones and lines that begin with `#` are
 * ignored.
 *
 * @param report takes a RangeError for each malformed entry, with its number but not the entry; by default it throws it.
 */
export function parseTokenList(text: string, report: Report = fail): TokenList {
  const entries = text.replaceAll(/^\s*#.*$/gm, '').split(/[,\n]/);
  const digests = entries.flatMap((entry, at) => (entry.trim() === '' ? [] : parseEntry(entry.trim(), at + 1, report)));
  return new TokenList(digests);
}

/** Returns the digest of an entry; none of a malformed one, which is reported. */
function parseEntry(entry: string, number: number, report: Report): readonly string[] {
  const [, digest] = digestSyntax.exec(entry) ?? [];
  if (digest !== undefined) return [digest.toLowerCase()];
  if (isTokenLength(entry) && tokenSyntax.test(entry)) return [sha256(entry)];
  const expected = `a token of ${TOKEN_LENGTH.min} to ${TOKEN_LENGTH.max} of the characters A-Z a-z 0-9 - . _ ~ + / and = at its end (RFC 6750 section 2.1, b64token), or "sha256:" and the 64 hexadecimal digits of its digest (printf %s TOKEN | sha256sum prints them)`;
  report(new RangeError(`entry ${number}: expected ${expected}; this one has ${entry.length} characters`));
  return [];
}

/**
 * Tokens by their SHA-256 (FIPS 180-4). A digest cannot be presented, and the token cannot be recovered from it. How long it takes
 * to find a digest says nothing about a token, because nobody can choose the digest of what they present.
 */
export class TokenList {
  readonly digests: ReadonlySet<string>;

  /** @param digests in hexadecimal, in lower case. */
  constructor(digests: Iterable<string>) {
    this.digests = new Set(digests);
  }

  /** The name of the client of a token; undefined if it is not listed. */
  findSubject(token: string): string | undefined {
    if (!isTokenLength(token)) return undefined;
    const digest = sha256(token);
    return this.digests.has(digest) ? `sha256:${digest.slice(0, 8)}` : undefined;
  }
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

function isTokenLength({ length }: string): boolean {
  return length >= TOKEN_LENGTH.min && length <= TOKEN_LENGTH.max;
}

/** Creates a verifier that accepts the tokens that a source lists at the time of the call. Others verify the tokens that it does not. */
export function tokenListVerifier(source: { readonly current: TokenList }, others?: TokenVerifier): TokenVerifier {
  return {
    async verify(token) {
      const subject = source.current.findSubject(token);
      if (subject !== undefined) return { accepted: true, subject };
      return others ? others.verify(token) : { accepted: false, reason: 'not a listed token' };
    },
  };
}

/**
 * Opens a file of tokens in the format of {@link parseTokenList}, and follows it: see `followFile`.
 * The tokens of `fixed` are accepted beside those of the file.
 *
 * @throws {Error} with a message for the operator if the file is unusable at startup.
 */
export function openTokenFile(
  options: FollowOptions,
  fixed: TokenList = new TokenList([]),
): Promise<FollowedFile<TokenList>> {
  const parse = (text: string, report: Report) =>
    new TokenList([...fixed.digests, ...parseTokenList(text, report).digests]);
  return followFile(options, parse, fixed);
}
