import { formats } from '@plant-store/bulk';
import type { ImportOptions } from '@plant-store/bulk/import';
import { type Host, UsageError } from '@plant-store/command-line';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { databaseUrlForms, didYouMeanUrl, isDatabaseUrl, openStore, storeAt } from '../stores/index.ts';
import { type UrlOptions, urlFileOption, withUrlOfFile } from './url-file-option.ts';

/** Adds `import`. */
export function addImportCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  program
    .command('import')
    .description('create the plants of a file, in a store or over HTTP')
    .argument('<file>', 'NDJSON or CSV; - reads standard input')
    .option('--url <url>', `${databaseUrlForms()}, or http://… of a running service (default: DATABASE_URL)`)
    .addOption(urlFileOption())
    .addOption(new Option('--format <format>', 'format (default: from the file name; - needs it)').choices(formats))
    .option(
      '--rejects <file>',
      'file for rejected lines (default: <file>.rejects.ndjson; for -, import.rejects.ndjson)',
    )
    .option('--from-line <line>', 'skip the lines before this one', positiveInteger, 1)
    .option('--ignore-columns', 'allow columns of CSV that a plant does not have')
    .option('--unescape-formulas', 'undo export --escape-formulas')
    .option('--concurrency <plants>', 'maximum plants in flight (default: 1000; 256 over HTTP)', positiveInteger)
    .option(
      '--retry-for <seconds>',
      'retry timeout: give up after so long without a created plant',
      positiveInteger,
      60,
    )
    .option('--dry-run', 'check every line and store nothing')
    .addHelpText('after', `\n${help}`)
    .action(async (file: string, given: ImportOptions & UrlOptions) => {
      const { importFile, inService, inStore } = await import('@plant-store/bulk/import');
      const { readCommandConfig } = await import('../config/index.ts');
      const { url, ...options } = await withUrlOfFile(given);
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
    });
}

function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number above zero.');
}

const help = `Over HTTP it authenticates with the token in API_TOKEN. Importing a file again is safe: stored plants stay unchanged.
Where the store or the service is overloaded, the import slows down.
Exit code: 0 every line is stored, 1 some lines were rejected, 2 usage error, 3 incomplete; the last line of output says
how to continue.`;
