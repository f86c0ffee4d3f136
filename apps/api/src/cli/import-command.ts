import { formats } from '@plant-store/bulk';
import type { ImportOptions } from '@plant-store/bulk/import';
import type { Host } from '@plant-store/command-line';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { databaseUrlForms } from '../stores/index.ts';
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
    .action(async (file: string, options: ImportOptions & UrlOptions) =>
      (await import('../bulk/import/index.ts')).runImport(file, await withUrlOfFile(options), environment, host),
    );
}

function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number above zero.');
}

const help = `Over HTTP it authenticates with the token in API_TOKEN. Importing a file again is safe: stored plants stay unchanged.
Where the store or the service is overloaded, the import slows down.
Exit code: 0 every line is stored, 1 some lines were rejected, 2 usage error, 3 incomplete; the last line of output says
how to continue.`;
