import { type FileKind, type FollowOptions, followFile } from '../follow-file.ts';
import type { TokenSource } from './digest-verifier.ts';
import { InvalidTokenEntry, parseTokenList, type TokenDigest } from './token-entry.ts';

const tokenFile: FileKind<readonly TokenDigest[]> = {
  name: 'token file',
  // Some 14,000 digests, many times what comparing each with every token allows.
  maxBytes: 1_048_576,
  parse(text) {
    const digests = parseTokenList(text, 'line');
    if (digests.length === 0) throw new InvalidTokenEntry('it contains no token');
    return digests;
  },
  ifDeleted: [],
};

/**
 * Follows a file of tokens, see `parseTokenList` and {@link followFile}.
 * @throws {FileUnusable} if the file cannot be used at the start.
 */
export async function openTokenFile(options: FollowOptions): Promise<TokenSource & { close(): void }> {
  const file = await followFile(tokenFile, options);
  return {
    get digests() {
      return file.contents;
    },
    close: file.close,
  };
}
