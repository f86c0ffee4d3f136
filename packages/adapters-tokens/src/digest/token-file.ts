import { type FollowOptions, followFile } from '../follow-file.ts';
import type { TokenSource } from './digest-verifier.ts';
import { parseTokenList } from './token-entry.ts';

/**
 * Follows a file of tokens, see `parseTokenList` and {@link followFile}.
 * @throws {Error} with a message for the operator if the file cannot be used at the start.
 */
export async function openTokenFile(options: FollowOptions): Promise<TokenSource & { close(): void }> {
  const file = await followFile(options, (text) => parseTokenList(text, 'line'), []);
  return {
    get digests() {
      return file.current;
    },
    close: file.close,
  };
}
