import { type Command, InvalidArgumentError } from 'commander';
import type { ImportOptions } from '../bulk/index.ts';
import type { Host } from '../host.ts';
import { mayRecover, openStore, storeAt } from '../stores/index.ts';
import {
  addStoreOptions,
  callbacks,
  formatOption,
  notSharedError,
  readStoreConfig,
  type StoreOptions,
} from './store-options.ts';

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
