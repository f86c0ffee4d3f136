import type { Command } from 'commander';
import type { ExportOptions } from '../bulk/index.ts';
import type { Host } from '../host.ts';
import { storeAt } from '../stores/index.ts';
import {
  addStoreOptions,
  callbacks,
  formatOption,
  notSharedError,
  readStoreConfig,
  type StoreOptions,
} from './store-options.ts';

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
