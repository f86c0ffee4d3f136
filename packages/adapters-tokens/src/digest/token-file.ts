import { type FollowOptions, followFile } from '../follow-file.ts';
import type { TokenSource } from './digest-verifier.ts';
import { NoToken, parseTokenList } from './token-entry.ts';

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
