import { Option } from 'commander';

/** The options of a command that takes a URL, on its command line or in a file. */
export interface UrlOptions {
  readonly url?: string;
  readonly urlFile?: string;
}

export function urlFileOption(): Option {
  return new Option('--url-file <path>', 'file with the URL, so that its password is in no process list').conflicts(
    'url',
  );
}

/**
 * The options, with the URL of the file if there is one.
 * @throws {ConfigError} if it cannot be read or has not one URL.
 */
export async function withUrlOfFile<Options extends UrlOptions>(options: Options): Promise<Options> {
  if (options.urlFile === undefined) return options;
  const { readUrlFile } = await import('../config/index.ts');
  return { ...options, url: readUrlFile(options.urlFile, '--url-file') };
}
