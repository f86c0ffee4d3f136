import {
  InvalidTokenEntry,
  isB64token,
  MAX_TOKEN_LENGTH,
  MIN_TOKEN_LENGTH,
  sha256,
  type TokenDigest,
  tokenDigest,
} from './token-digest.ts';

/**
 * Reads one entry as an operator writes it: a token in the clear, or `sha256:` and the 64 hexadecimal digits of its
 * digest, as `printf %s TOKEN | sha256sum` prints them. White space around it is ignored.
 *
 * @throws {InvalidTokenEntry} if it is neither.
 */
export function parseTokenEntry(text: string): TokenDigest {
  const entry = text.trim();
  if (entry.startsWith('sha256:')) return parseDigest(entry.slice('sha256:'.length));
  if (!isB64token(entry))
    throw new InvalidTokenEntry(
      `a token may only have the characters A-Z a-z 0-9 - . _ ~ + / and = at its end: no client could send another one (RFC 6750 section 2.1, b64token). ${instead}`,
    );
  if (entry.length < MIN_TOKEN_LENGTH || entry.length > MAX_TOKEN_LENGTH)
    throw new InvalidTokenEntry(
      `a token must be ${MIN_TOKEN_LENGTH} to ${MAX_TOKEN_LENGTH} characters long, this one has ${entry.length}: a shorter one could be guessed. ${instead}`,
    );
  return tokenDigest(sha256(entry));
}

const instead = 'Write another token, or "sha256:" and the 64 hexadecimal digits of its digest';

/**
 * Reads entries that are separated by commas, as in an environment variable. Empty ones are ignored.
 *
 * @throws {InvalidTokenEntry} if one is malformed, with its number.
 */
export function parseTokenList(text: string): readonly TokenDigest[] {
  return parseEach(text.split(','), 'entry');
}

/**
 * Reads entries, one per line, as in a file. Blank lines and lines that begin with `#` are ignored.
 *
 * @throws {InvalidTokenEntry} if one is malformed, with its line number.
 */
export function parseTokenLines(text: string): readonly TokenDigest[] {
  return parseEach(text.split('\n'), 'line');
}

function parseEach(texts: readonly string[], unit: 'entry' | 'line'): readonly TokenDigest[] {
  return texts.flatMap((text, at) => {
    const entry = text.trim();
    if (entry === '' || (unit === 'line' && entry.startsWith('#'))) return [];
    try {
      return [parseTokenEntry(entry)];
    } catch (error) {
      if (error instanceof InvalidTokenEntry) throw new InvalidTokenEntry(`${unit} ${at + 1}: ${error.message}`);
      throw error;
    }
  });
}

function parseDigest(digits: string): TokenDigest {
  if (/^[0-9a-f]{64}$/i.test(digits)) return tokenDigest(Buffer.from(digits, 'hex'));
  throw new InvalidTokenEntry(
    `after "sha256:" there must be 64 hexadecimal digits (printf %s TOKEN | sha256sum prints them); this one has ${digits.length} characters there`,
  );
}
