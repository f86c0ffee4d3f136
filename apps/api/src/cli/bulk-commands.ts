import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ExportOptions, ImportOptions } from '../bulk/index.ts';
import { UsageError } from '../errors.ts';
import type { Host } from '../host.ts';
import { mayRecover, openStore, storeAt } from '../stores/index.ts';
import { addStoreOptions, callbacks, readStoreConfig, type StoreOptions } from './store-options.ts';

/** Adds the command `import`. */
export function addImportCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  const command = program
    .command('import')
    .description('store the plants of a file')
    .argument('<file>', 'NDJSON or CSV; - is standard input');
  addStoreOptions(command)
    .addOption(formatOption('from the file name; - needs it'))
    .option('--ignore-columns', 'allow columns of CSV that a plant does not have')
    .option(
      '--rejects <file>',
      'file for rejected lines (default: <file>.rejects.ndjson; for -, import.rejects.ndjson)',
    )
    .option('--force', 'replace an existing file of --rejects')
    .option('--keep-going', 'do not stop if nearly all lines are rejected')
    .option('--retry-for <seconds>', 'give up if the store is unavailable for so long', positiveInteger, 60)
    .option('--dry-run', 'check every line and store nothing')
    .addHelpText('after', `\n${help}`)
    .action(async (file: string, { url, urlFile, ...options }: ImportOptions & StoreOptions) => {
      const config = await readStoreConfig(environment, host, { url, urlFile });
      const store = storeAt(config, callbacks(host));
      const open = async () => {
        if (!store.export) throw notSharedError();
        return openStore(config, callbacks(host));
      };
      const { importFile } = await import('../bulk/index.ts');
      await importFile(file, options, host, { open, mayRecover, storeFiles: (await store.files?.()) ?? [] });
    });
}

function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number above zero.');
}

const help = `Importing a file again is safe: stored plants stay unchanged. If 1,000 lines are rejected, and more than nine of ten,
the import stops.
Exit code: 0 every line is stored, 1 some lines were rejected, 2 usage error, 3 incomplete.`;

/** Adds the command `export`. */
export function addExportCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  const command = program
    .command('export')
    .description('write a snapshot of a store to a file')
    .argument('[file]', 'NDJSON or CSV; - is standard output', '-');
  addStoreOptions(command)
    .addOption(formatOption('from the file name; ndjson for -'))
    .option('--force', 'replace an existing file')
    .addHelpText(
      'after',
      '\nExit code: 0 every plant is written, or the reader closed the pipe, 2 usage error, 3 incomplete.',
    )
    .action(async (file: string, { url, urlFile, ...options }: ExportOptions & StoreOptions) => {
      const store = storeAt(await readStoreConfig(environment, host, { url, urlFile }), callbacks(host));
      if (!store.export) throw notSharedError();
      const storeFiles = (await store.files?.()) ?? [];
      const { exportFile } = await import('../bulk/index.ts');
      await exportFile(file, options, host, { plants: await store.export(), storeFiles });
    });
}

/** The option `--format`, for a file whose name has no known extension. */
function formatOption(byDefault: string): Option {
  return new Option('--format <format>', `format (default: ${byDefault})`).choices(['ndjson', 'csv']);
}

/** The error for a store that no other process can access. */
function notSharedError(): UsageError {
  return new UsageError('--url or DATABASE_URL: no other process can read this store');
}
