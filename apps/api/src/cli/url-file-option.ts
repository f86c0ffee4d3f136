import { Option } from 'commander';
import { UsageError } from '../errors.ts';

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
 * @throws {UsageError} if it cannot be read or is empty.
 */
export async function withUrlOfFile<Options extends UrlOptions>(options: Options): Promise<Options> {
  if (options.urlFile === undefined) return options;
  const { readUrlFile } = await import('../config/index.ts');
  try {
    return { ...options, url: readUrlFile(options.urlFile, '--url-file') };
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
