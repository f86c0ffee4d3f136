import { type ImportOptions, importFile, inService, inStore } from '@plant-store/bulk/import';
import { type Host, UsageError } from '@plant-store/command-line';
import { readCommandConfig } from '../../config/index.ts';
import { databaseUrlForms, didYouMeanUrl, isDatabaseUrl, openStore, storeAt } from '../../stores/index.ts';

/**
 * Imports a file into the store, or the service, that `--url` or the configuration names, and prints the result.
 *
 * @throws {UsageError} if it cannot begin.
 * @throws {IncompleteError} if it could not finish.
 */
export async function runImport(
  file: string,
  { url, ...options }: ImportOptions & { readonly url?: string },
  environment: NodeJS.ProcessEnv,
  host: Host,
): Promise<void> {
  const isStore = url !== undefined && isDatabaseUrl(url);
  const config = readCommandConfig(environment, host, isStore ? url : undefined);
  await importFile(file, options, config.bodyLimit, host, async (opening) => {
    if (url !== undefined && /^https?:\/\//.test(url)) return inService(url, environment['API_TOKEN'], opening);
    if (url !== undefined && !isStore)
      throw new UsageError(
        `--url: expected ${databaseUrlForms()}, or http://… of a running service${didYouMeanUrl(url)}`,
      );
    const { files = async () => [] } = storeAt(config.databaseUrl, { onError: () => {} });
    return inStore(() => openStore(config, { onError: () => {}, onWarning: opening.onWarning }), files, opening);
  });
}
