import { UsageError } from '../errors.ts';
import { type Config, readConfig } from './config.ts';
import { ConfigError } from './config-error.ts';

/**
 * The configuration of a command that ends by itself. Its warnings go to standard error.
 * @throws {UsageError} if it is invalid.
 */
export function readCommandConfig(environment: NodeJS.ProcessEnv): Config {
  try {
    const config = readConfig(environment);
    for (const warning of config.warnings) process.stderr.write(`plant-store: ${warning}\n`);
    return config;
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message, { cause: error }) : error;
  }
}
