import type { Config } from '../config/index.ts';
import { ConfigError } from '../errors.ts';

/**
 * Whether the configuration has tokens to accept. In production none are generated.
 * @throws {ConfigError} in production without tokens.
 */
export function hasTokens(config: Config): boolean {
  if (config.tokens !== '' || config.tokensFile !== undefined || config.jwt !== undefined) return true;
  if (!config.production) return false;
  throw new ConfigError(
    'No tokens are configured: set API_TOKENS, API_TOKENS_FILE or JWT_ISSUER. "plant-store token new" makes a token and its entry.',
  );
}
