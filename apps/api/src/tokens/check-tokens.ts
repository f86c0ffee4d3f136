import type { Config } from '../config/index.ts';
import { openTokens } from './open-tokens.ts';

/**
 * Rejects what `openTokens` would reject. It reads the files and asks no issuer.
 * @throws {ConfigError} if an entry is malformed, there is none and nothing else is set, or a file cannot be used.
 */
export async function checkTokens(config: Config): Promise<void> {
  const tokens = await openTokens(config, () => {}, { asksIssuer: false });
  await tokens.close();
}
