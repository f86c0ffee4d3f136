import { type Host, UsageError } from '@plant-store/command-line';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ImportOptions } from '../bulk/import/index.ts';
import { formats } from '../bulk/index.ts';
import { databaseUrlForms, isDatabaseUrl, openStore, storeAt } from '../stores/index.ts';
import { type UrlOptions, urlFileOption, withUrlOfFile } from './url-file-option.ts';

/** Adds `import`. */
export function addImportCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  program
    .command('import')
    .description('store the plants of a file')
    .argument('<file>', 'NDJSON or CSV; - is standard input')
    .option('--url <url>', `${databaseUrlForms()} (default: DATABASE_URL)`)
    .addOption(urlFileOption())
    .addOption(new Option('--format <format>', 'format (default: from the file name; - needs it)').choices(formats))
    .option('--ignore-columns', 'allow columns of CSV that a plant does not have')
    .option(
      '--rejects <file>',
      'file for rejected lines (default: <file>.rejects.ndjson; for -, import.rejects.ndjson)',
    )
    .option('--force', 'replace an existing file of --rejects, or write to a pipe')
    .option('--keep-going', 'do not stop if nearly all lines are rejected')
    .option('--retry-for <seconds>', 'give up if the store is unavailable for so long', positiveInteger, 60)
    .option('--dry-run', 'check every line and store nothing')
    .addHelpText('after', `\n${help}`)
    .action(async (file: string, given: ImportOptions & UrlOptions) => {
      const { importFile } = await import('../bulk/import/index.ts');
      const { readCommandConfig } = await import('../config/index.ts');
      const { url, urlFile: _, ...options } = await withUrlOfFile(given);
      if (url !== undefined && !isDatabaseUrl(url)) throw new UsageError(`--url: expected ${databaseUrlForms()}`);
      const config = readCommandConfig(environment, host, url);
      const storeFiles = await storeAt(config.databaseUrl, { onError: () => {} }).files?.();
      await importFile(file, options, host, {
        open: (onWarning) => openStore(config, { onError: () => {}, onWarning }),
        storeFiles: storeFiles ?? [],
      });
    });
}

function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number above zero.');
}

const help = `Importing a file again is safe: stored plants stay unchanged. If 1,000 lines are rejected, and more than nine of ten,
the import stops.
Exit code: 0 every line is stored, 1 some lines were rejected, 2 usage error, 3 incomplete.`;
