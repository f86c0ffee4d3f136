import type { Storage } from '@plant-store/store-kit';
import { type Command, Option } from 'commander';
import type { Config } from '../config.ts';
import { ConfigError } from '../errors.ts';
import { describeUrls, loadStorageAdapter } from '../stores.ts';

/** The options with the URL of a store, on the command line or in a file. */
export interface StoreUrl {
  readonly url?: string;
  readonly urlFile?: string;
}

/** Adds the options `--url` and `--url-file`. */
export function addStoreOptions(command: Command): Command {
  const description = 'file with the URL, so that its password is in no process list';
  return command
    .option('--url <url>', `${describeUrls()} (default: DATABASE_URL)`)
    .addOption(new Option('--url-file <path>', description).conflicts('url'));
}

/** What gives the URL of the store, for messages: an option, else a setting. */
export function nameOfUrl(environment: NodeJS.ProcessEnv, { url, urlFile }: StoreUrl): string {
  if (url || urlFile) return url ? '--url' : '--url-file';
  return ['DATABASE_URL_FILE', 'DATABASE_URL'].find((name) => environment[name]) ?? 'DATA_DIR';
}

/** The store of a command, which is not yet open, and its configuration. */
export interface ConfiguredStore {
  readonly config: Config;
  readonly storage: Storage;
}

/** Reads the configuration of a command that uses a store, and prints its warnings. @throws {ConfigError} if it is invalid. */
export async function configureStore(
  environment: NodeJS.ProcessEnv,
  { url, urlFile }: StoreUrl = {},
): Promise<ConfiguredStore> {
  const { readConfig } = await import('../config.ts');
  const outside = await loadStorageAdapter(environment['STORAGE_ADAPTER']);
  const given = url || urlFile ? { DATABASE_URL: url, DATABASE_URL_FILE: urlFile } : {};
  const config = readConfig({ ...environment, ...given }, { outside });
  for (const warning of config.warnings) warn(warning);
  // Errors of idle connections only concern the service.
  const callbacks = { onError: () => {}, onWarning: warn };
  return { config, storage: config.storageAdapter.at(config.DATABASE_URL, { ...config.storeLimits, ...callbacks }) };
}

/** Prints a message on standard error. */
export function warn(message: string): void {
  process.stderr.write(`plant-store: ${message}\n`);
}

/** The error for a store that no other process can access. */
export function notSharedError(): ConfigError {
  return new ConfigError('--url or DATABASE_URL: no other process can read this store');
}
