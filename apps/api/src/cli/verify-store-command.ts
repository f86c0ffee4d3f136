import type { Host } from '@plant-store/command-line';
import type { Command } from 'commander';
import { databaseUrlForms, scratchPlaces } from '../stores/index.ts';
import { exitWhenPrinted } from './printed.ts';
import { type UrlOptions, urlFileOption, withUrlOfFile } from './url-file-option.ts';

/** Adds `verify-store`: exit code 0 if every clause passed, 1 if not, 2 if there was nothing to check. */
export function addVerifyStoreCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  program
    .command('verify-store')
    .description('check a store against the contracts of its ports')
    .option('--url <url>', `${databaseUrlForms()} (default: DATABASE_URL)`)
    .addOption(urlFileOption())
    .option('--only <ids>', 'clauses to check, comma-separated')
    .option('--json', 'print only the report, as JSON')
    .option('--junit <file>', 'write the report as JUnit XML, too')
    .option('--html <file>', 'write the report as a page, too')
    .option('--force', 'replace existing files of --junit and --html')
    .addHelpText('after', `\nIt works in a scratch place and removes it afterwards:\n${scratchPlaces()}`)
    .action(async ({ only, json = false, junit, html, force = false, ...given }: UrlOptions & VerifyOptions) => {
      const { withUrlFile } = await import('../config/index.ts');
      const { url = withUrlFile(environment)['DATABASE_URL'] } = await withUrlOfFile(given);
      const { verifyStore } = await import('../verify/index.ts');
      const { failed } = await verifyStore({ url, only, json, junit, html, force }, environment, host);
      // Not exitCode: a faulty store may have left something that keeps this process alive.
      await exitWhenPrinted(host, failed === 0 ? 0 : 1);
    });
}

interface VerifyOptions {
  readonly only?: string;
  readonly json?: boolean;
  readonly junit?: string;
  readonly html?: string;
  readonly force?: boolean;
}
