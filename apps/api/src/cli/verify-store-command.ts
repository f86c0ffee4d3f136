import { type Host, UsageError } from '@plant-store/command-line';
import type { Command } from 'commander';
import {
  checkDatabaseUrl,
  databaseUrlForms,
  harnessAt,
  isDatabaseUrl,
  scratchPlaces,
  storeAt,
} from '../stores/index.ts';
import { exitWhenPrinted } from './printed.ts';
import { addReportOptions, type ReportOptions } from './report-options.ts';
import { type UrlOptions, urlFileOption, withUrlOfFile } from './url-file-option.ts';

/** Adds `verify-store`: exit code 0 if every clause passed, 1 if not, 2 if there was nothing to check. */
export function addVerifyStoreCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  const verify = program
    .command('verify-store')
    .description('check a store against the PlantRepository contract')
    .option('--url <url>', `${databaseUrlForms()} (default: DATABASE_URL)`)
    .addOption(urlFileOption())
    .option('--only <ids>', 'clauses to check, comma-separated');
  addReportOptions(verify)
    .addHelpText('after', `\nIt works in a scratch place and removes it afterwards:\n${scratchPlaces()}`)
    .action(async ({ only, json = false, junit, html, force = false, ...given }: UrlOptions & ReportOptions) => {
      const { isProduction, maskedUrl, withUrlFile } = await import('../config/index.ts');
      const { url = withUrlFile(environment)['DATABASE_URL'] ?? '' } = await withUrlOfFile(given);
      if (!isDatabaseUrl(url)) throw new UsageError(`--url or DATABASE_URL: expected ${databaseUrlForms()}`);
      const production = isProduction(environment);
      const { warning } = checkDatabaseUrl(url);
      if (warning && production) throw new UsageError(`--url or DATABASE_URL: ${warning}`);
      if (warning) host.stderr.write(`plant-store: --url or DATABASE_URL: ${warning}\n`);
      const { verifyStore } = await import('@plant-store/contracts-stores/cli');
      const verification = { program: 'plant-store', subject: maskedUrl(url), only, json, junit, html, force };
      const { failed } = await verifyStore(
        { store: storeAt(url, { onError: () => {} }), harness: () => harnessAt(url) },
        verification,
        host,
      );
      // Not exitCode: a faulty store may have left something that keeps this process alive.
      await exitWhenPrinted(host, failed === 0 ? 0 : 1);
    });
}
