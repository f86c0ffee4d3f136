import {
  digestVerifier,
  InvalidTokenEntry,
  openTokenFile,
  parseTokenList,
  type TokenDigest,
} from '@plant-store/adapters-tokens';
import type { TokenVerifier } from '@plant-store/domain';
import { type Config, ConfigError } from './config.ts';
import type { OnError } from './stores.ts';

/**
 * Opens the verifier of the tokens that the configuration names, in `API_TOKENS` and in `API_TOKENS_FILE`.
 *
 * @throws {ConfigError} when an entry of `API_TOKENS` is malformed.
 * @throws {Error} when the file cannot be used.
 */
export async function openTokens(
  { tokens, tokensFile }: Config,
  onError: OnError,
): Promise<TokenVerifier & { close(): Promise<void> }> {
  const listed = { digests: digestsOf(tokens) };
  if (listed.digests.length === 0 && tokensFile === undefined) throw new ConfigError('API_TOKENS: it holds no token');
  if (tokensFile === undefined) return { ...digestVerifier([listed]), close: async () => {} };
  const file = await openTokenFile({ path: tokensFile, onError });
  return { ...digestVerifier([listed, file]), close: async () => file.close() };
}

function digestsOf(tokens: string): readonly TokenDigest[] {
  try {
    return parseTokenList(tokens);
  } catch (error) {
    if (error instanceof InvalidTokenEntry) throw new ConfigError(`API_TOKENS: ${error.message}`);
    throw error;
  }
}
