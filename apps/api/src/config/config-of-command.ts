import { WrongUsage } from '../usage-error.ts';
import { type Config, ConfigError, readConfig } from './config.ts';

/**
 * The configuration of a command that ends by itself.
 * @throws {WrongUsage} when it is wrong: nothing was done.
 */
export function configOfCommand(environment: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(environment);
  } catch (error) {
    throw error instanceof ConfigError ? new WrongUsage(error.message, { cause: error }) : error;
  }
}
