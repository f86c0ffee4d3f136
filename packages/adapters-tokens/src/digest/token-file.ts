import { type FileUnusable, followFile } from '../follow-file.ts';
import type { TokenSource } from './digest-verifier.ts';
import { parseTokenLines } from './parse-token-entry.ts';
import { InvalidTokenEntry, type TokenDigest } from './token-digest.ts';

/** A file of tokens that is followed. */
export interface TokenFileOptions {
  /** One entry a line, see `parseTokenEntry`; blank lines and lines that begin with `#` do not count. */
  readonly path: string;

  /** Called when the file cannot be used, once for each new reason; the message says what happens to its tokens. */
  readonly onError: (error: FileUnusable) => void;

  /**
   * The time, in milliseconds, between two looks at the file; from 1 to 900, 500 by default. A token that is taken
   * out of the file has to be refused within 2 s, and it takes two looks to know that the file was deleted.
   */
  readonly pollIntervalMs?: number;
}

/** A source of tokens that follows a file until it is closed. It does not keep the process alive. */
export interface TokenFile extends TokenSource {
  close(): void;
}

/**
 * Follows a file of tokens, see {@link followFile}: while it is malformed, empty or unreadable its tokens stay accepted;
 * once it is deleted they are refused.
 *
 * @throws {FileUnusable} when the file cannot be used to begin with.
 * @throws {RangeError} when `pollIntervalMs` is out of its range.
 */
export async function openTokenFile(options: TokenFileOptions): Promise<TokenFile> {
  const file = await followFile({
    ...options,
    what: 'token file',
    parse: parseTokenFile,
    ifDeleted: [],
    onceUnusable: 'the tokens that were accepted stay accepted',
    onceDeleted: 'the tokens that it held are refused until it is back',
  });
  return {
    get digests() {
      return file.contents;
    },
    close: file.close,
  };
}

function parseTokenFile(text: string): readonly TokenDigest[] {
  const digests = parseTokenLines(text);
  if (digests.length === 0) throw new InvalidTokenEntry('it holds no token');
  return digests;
}
