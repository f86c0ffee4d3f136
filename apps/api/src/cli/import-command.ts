import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ImportCommandOptions } from '../bulk/import/options.ts';
import { runImport } from '../bulk/import/run-import.ts';
import { formats } from '../bulk/records/format.ts';
import { databaseUrlForms } from '../stores/engines.ts';
import { command } from './command.ts';

/** `import`. */
export function importCommand(environment: NodeJS.ProcessEnv): Command {
  return command('import', 'create the plants of a file, in a store or over HTTP in a running service')
    .argument('<file>', 'NDJSON or CSV; - reads standard input')
    .option('--url <url>', `${databaseUrlForms}, or http://… of a running service (default: DATABASE_URL)`)
    .addOption(new Option('--format <format>', 'by default by the name of the file').choices(formats))
    .option('--rejects <file>', 'where lines that are not stored are reported (default: <file>.rejects.ndjson)')
    .option('--from-line <line>', 'skip the lines before this one', wholeAboveZero, 1)
    .option('--concurrency <plants>', 'how many are created at once (default: 1000; 64 over HTTP)', wholeAboveZero)
    .option('--retry-for <seconds>', 'how long what is out of reach is tried again', wholeAboveZero, 60)
    .option('--dry-run', 'check every line and store nothing')
    .addHelpText('after', `\n${help}`)
    .action((file: string, options: ImportCommandOptions) => runImport(file, options, environment));
}

function wholeAboveZero(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number above zero.');
}

const help = `Over HTTP it takes the token of API_TOKEN. Importing the same file again is safe: what is stored already stays as it is.
Exit code: 0 every line is stored, 1 some lines were refused, 2 called wrongly, 3 stopped early; the last line of output
says how to go on.`;
