import { FileUnusable, openTokenFile } from '@plant-store/adapters-tokens';
import type { Config } from '../config/index.ts';
import { ConfigError } from '../errors.ts';
import { listedTokens } from './open-tokens.ts';

/**
 * Rejects what `openTokens` would reject. It reads the files and asks no issuer.
 * @throws {ConfigError} if an entry is malformed, there is none and nothing else is set, or a file cannot be used.
 */
export async function checkTokens(config: Config): Promise<void> {
  listedTokens(config);
  try {
    await readFiles(config);
  } catch (error) {
    throw error instanceof FileUnusable ? new ConfigError(error.message) : error;
  }
}

async function readFiles({ tokensFile, jwt, maxRequestsInFlight }: Config): Promise<void> {
  const onError = () => {};
  if (tokensFile !== undefined) (await openTokenFile({ path: tokensFile, onError })).close();
  if (jwt === undefined || 'url' in jwt.keys) return;
  const { openJwt } = await import('./open-jwt.ts');
  await (await openJwt(jwt, maxRequestsInFlight, onError)).close();
}
