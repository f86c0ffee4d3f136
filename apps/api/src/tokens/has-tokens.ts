import { type Config, ConfigError } from '../config/config.ts';

/**
 * Whether the configuration names tokens to accept; a service in production makes none up.
 * @throws {ConfigError} in production, where it names none.
 */
export function hasTokens(config: Config): boolean {
  if (config.tokens !== '' || config.tokensFile !== undefined || config.jwt !== undefined) return true;
  if (!config.production) return false;
  throw new ConfigError(
    'No tokens are set: set API_TOKENS, API_TOKENS_FILE or JWT_ISSUER. "plant-store token new" makes a token and the entry for it.',
  );
}
