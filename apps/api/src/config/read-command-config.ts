import type { Host } from '@plant-store/command-line';
import { type Config, readConfig } from './config.ts';

/**
 * The configuration of a command that ends by itself. Its warnings go to standard error.
 *
 * @param databaseUrl takes the place of the one in the environment.
 * @throws {ConfigError} if it is invalid.
 */
export function readCommandConfig(
  environment: NodeJS.ProcessEnv,
  { stderr }: Pick<Host, 'stderr'>,
  databaseUrl?: string,
): Config {
  const given = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl, DATABASE_URL_FILE: undefined };
  const config = readConfig({ ...environment, ...given });
  for (const warning of config.warnings) stderr.write(`plant-store: ${warning}\n`);
  return config;
}
