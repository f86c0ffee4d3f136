import { formats } from '@plant-store/bulk';
import type { ExportOptions } from '@plant-store/bulk/export';
import type { Host } from '@plant-store/command-line';
import { type Command, Option } from 'commander';
import { exportUrlForms } from '../stores/index.ts';
import { type UrlOptions, urlFileOption, withUrlOfFile } from './url-file-option.ts';

/** Adds `export`. */
export function addExportCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  program
    .command('export')
    .description('write a snapshot of a store to a file')
    .argument('[file]', 'NDJSON or CSV; - is standard output', '-')
    .option('--url <url>', `${exportUrlForms()} (default: DATABASE_URL)`)
    .addOption(urlFileOption())
    .addOption(new Option('--format <format>', 'format (default: from the file name; ndjson for -)').choices(formats))
    .option('--force', 'replace an existing file')
    .option('--escape-formulas', "in CSV, put ' before texts that a spreadsheet would run")
    .addHelpText(
      'after',
      '\nExit code: 0 every plant is written, or the reader closed the pipe, 2 usage error, 3 incomplete.',
    )
    .action(async (file: string, options: ExportOptions & UrlOptions) =>
      (await import('../bulk/export/index.ts')).runExport(file, await withUrlOfFile(options), environment, host),
    );
}
