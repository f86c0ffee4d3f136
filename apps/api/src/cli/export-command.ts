import { type Host, printable, UsageError } from '@plant-store/command-line';
import { type Command, Option } from 'commander';
import type { ExportOptions } from '../bulk/export/index.ts';
import { formats } from '../bulk/index.ts';
import { exportUrlForms, isDatabaseUrl, storeAt } from '../stores/index.ts';
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
    .option('--force', 'replace an existing file, or write to a pipe')
    .addHelpText(
      'after',
      '\nExit code: 0 every plant is written, or the reader closed the pipe, 2 usage error, 3 incomplete.',
    )
    .action(async (file: string, given: ExportOptions & UrlOptions) => {
      const { exportFile } = await import('../bulk/export/index.ts');
      const { readCommandConfig } = await import('../config/index.ts');
      const { url, ...options } = await withUrlOfFile(given);
      await exportFile(file, options, host, async () => {
        if (url !== undefined && !isDatabaseUrl(url)) throw new UsageError(`--url: expected ${exportUrlForms()}`);
        const { databaseUrl, databaseLimits } = readCommandConfig(environment, host, url);
        const onWarning = (message: string) => void host.stderr.write(`plant-store: ${printable(message)}\n`);
        const store = storeAt(databaseUrl, { ...databaseLimits, onError: () => {}, onWarning });
        if (!store.export) throw new UsageError(`--url: this store cannot be exported; expected ${exportUrlForms()}`);
        return { plants: await store.export(), storeFiles: (await store.files?.()) ?? [] };
      });
    });
}
