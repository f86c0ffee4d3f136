import { type ExportOptions, type ExportSource, exportFile } from '@plant-store/bulk/export';
import { type Host, printable, UsageError } from '@plant-store/command-line';
import { readCommandConfig } from '../../config/index.ts';
import { didYouMeanUrl, exportUrlForms, isDatabaseUrl, storeAt } from '../../stores/index.ts';

/**
 * Exports the store that `--url` or the configuration names to a file.
 *
 * @throws {UsageError} if it cannot begin.
 * @throws {IncompleteError} if it could not finish.
 */
export async function runExport(
  file: string,
  { url, ...options }: ExportOptions & { readonly url?: string },
  environment: NodeJS.ProcessEnv,
  host: Host,
): Promise<void> {
  await exportFile(file, options, host, () => openExport(url, environment, host));
}

async function openExport(url: string | undefined, environment: NodeJS.ProcessEnv, host: Host): Promise<ExportSource> {
  if (url !== undefined && !isDatabaseUrl(url))
    throw new UsageError(`--url: expected ${exportUrlForms()}${didYouMeanUrl(url)}`);
  const { databaseUrl, databaseLimits } = readCommandConfig(environment, host, url);
  const onWarning = (message: string) => void host.stderr.write(`plant-store: ${printable(message)}\n`);
  const options = { ...databaseLimits, onError: () => {}, onWarning };
  const { export: open, files = async () => [] } = storeAt(databaseUrl, options);
  if (!open) throw new UsageError(`--url: this store cannot be exported; expected ${exportUrlForms()}`);
  return { plants: await open(), files };
}
