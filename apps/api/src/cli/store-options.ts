import { type Command, Option } from 'commander';
import type { Config } from '../config/index.ts';
import { ConfigError, errorMessage, UsageError } from '../errors.ts';
import type { Host } from '../host.ts';
import { printable } from '../printable.ts';
import { adapterFor, loadStorageAdapter, urlForms } from '../stores/index.ts';

/** The options with the URL of a store, on the command line or in a file. */
export interface StoreOptions {
  readonly url?: string | undefined;
  readonly urlFile?: string | undefined;
}

/** Adds the options `--url` and `--url-file`. */
export function addStoreOptions(command: Command): Command {
  const description = 'file with the URL, so that its password is in no process list';
  return command
    .option('--url <url>', `${urlForms()} (default: DATABASE_URL)`)
    .addOption(new Option('--url-file <path>', description).conflicts('url'));
}

/**
 * Reads the configuration of a command that uses a store, and prints its warnings on standard error.
 * @throws {ConfigError} if the configuration is invalid; {@link UsageError} if no adapter supports the URL of an option.
 */
export async function readStoreConfig(
  environment: NodeJS.ProcessEnv,
  host: Host,
  { url, urlFile }: StoreOptions = {},
): Promise<Config> {
  const { readConfig, readUrlFile } = await import('../config/index.ts');
  const outside = await loadStorageAdapter(environment['STORAGE_ADAPTER']);
  if (outside instanceof ConfigError) throw new ConfigError(`STORAGE_ADAPTER: ${outside.message}`);
  const given = urlFile === undefined ? url : urlFromFile(urlFile, readUrlFile);
  if (given !== undefined && !adapterFor(given, outside)) throw new UsageError(`--url: expected ${urlForms()}`);
  const store = given === undefined ? {} : { DATABASE_URL: given, DATABASE_URL_FILE: undefined };
  const config = readConfig({ ...environment, ...store }, { outside });
  for (const warning of config.warnings) warn(host, warning);
  return config;
}

function urlFromFile(path: string, read: (path: string) => string): string {
  try {
    return read(path);
  } catch (error) {
    throw new UsageError(`--url-file: ${errorMessage(error)}`, { cause: error });
  }
}

/** The store's callbacks in a command. Errors of idle connections are ignored, because they only concern the service. */
export function callbacks(host: Host) {
  return { onError: () => {}, onWarning: (message: string) => warn(host, message) };
}

function warn(host: Host, message: string): void {
  host.stderr.write(`plant-store: ${printable(message)}\n`);
}
