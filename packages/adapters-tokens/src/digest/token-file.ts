import { type FileUnusable, watchFile } from '../watch-file.ts';
import type { TokenSource } from './digest-verifier.ts';
import { parseTokenLines } from './parse-token-entry.ts';
import { InvalidTokenEntry, type TokenDigest } from './token-digest.ts';

/** A file of tokens that is followed. */
export interface TokenFileOptions {
  /** One entry per line, see `parseTokenEntry`; blank lines and lines that begin with `#` are ignored. */
  readonly path: string;

  /** Called when the file cannot be used, once for each new reason; the message says what happens to its tokens. */
  readonly onError: (error: FileUnusable) => void;

  /**
   * The time, in milliseconds, between two polls of the file; from 1 to 900, 500 by default. A token that is removed
   * from the file has to be refused within 2 s, and it takes two polls to know that the file was deleted.
   */
  readonly pollIntervalMs?: number;
}

/** A source of tokens that follows a file until it is closed. It does not keep the process alive. */
export interface TokenFile extends TokenSource {
  close(): void;
}

/** 1 MiB: some 14,000 digests, many times what comparing each with every token allows. */
const MAX_TOKEN_FILE_BYTES = 1_048_576;

/**
 * Follows a file of tokens, see {@link watchFile}: while it is malformed, empty or unreadable its tokens stay accepted;
 * once it is deleted they are refused.
 *
 * @throws {FileUnusable} if the file cannot be used at the start.
 * @throws {RangeError} if `pollIntervalMs` is out of range.
 */
export async function openTokenFile(options: TokenFileOptions): Promise<TokenFile> {
  const file = await watchFile({
    ...options,
    what: 'token file',
    maxBytes: MAX_TOKEN_FILE_BYTES,
    parse: parseTokenFile,
    ifDeleted: [],
    onceUnusable: 'its tokens stay accepted',
    onceDeleted: 'its tokens are refused until it is back',
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
  if (digests.length === 0) throw new InvalidTokenEntry('it contains no token');
  return digests;
}
