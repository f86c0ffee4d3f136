import { type FollowOptions, watchFile } from '../watch-file.ts';
import type { TokenSource } from './digest-verifier.ts';
import { parseTokenLines } from './parse-token-entry.ts';
import { InvalidTokenEntry, type TokenDigest } from './token-digest.ts';

/** A source of tokens that follows a file until it is closed. It does not keep the process alive. */
export interface TokenFile extends TokenSource {
  close(): void;
}

/** 1 MiB: some 14,000 digests, many times what comparing each with every token allows. */
const MAX_TOKEN_FILE_BYTES = 1_048_576;

/**
 * Follows a file of tokens, see `parseTokenLines` and {@link watchFile}: while it is malformed, empty or unreadable its tokens stay accepted;
 * once it is deleted they are refused.
 *
 * @throws {FileUnusable} if the file cannot be used at the start.
 * @throws {RangeError} if `pollIntervalMs` is out of range.
 */
export async function openTokenFile(options: FollowOptions): Promise<TokenFile> {
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
