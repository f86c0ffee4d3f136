import { UsageError } from '../errors.ts';
import { type Config, readConfig } from './config.ts';
import { ConfigError } from './config-error.ts';

/**
 * The configuration of a command that ends by itself. Its warnings go to standard error.
 * @param databaseUrl takes the place of the one in the environment.
 * @throws {UsageError} if it is invalid.
 */
export function readCommandConfig(environment: NodeJS.ProcessEnv, databaseUrl?: string): Config {
  const given = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl, DATABASE_URL_FILE: undefined };
  try {
    const config = readConfig({ ...environment, ...given });
    for (const warning of config.warnings) process.stderr.write(`plant-store: ${warning}\n`);
    return config;
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message, { cause: error }) : error;
  }
}
