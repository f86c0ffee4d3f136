import type { Host } from '@plant-store/command-line';
import type { Command } from 'commander';
import { exitWhenPrinted } from './printed.ts';
import { addReportOptions } from './report-options.ts';

/** Adds `verify`: exit code 0 if every clause passed, 1 if not, 2 if there was nothing to check. */
export function addVerifyCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  const verify = program
    .command('verify')
    .description('check a running service against the HTTP contract')
    .option('--url <url>', 'base address of the service')
    .option('--token <token>', 'accepted token (default: API_TOKEN, which keeps it out of process lists)')
    .option('--other-token <token>', 'another accepted token')
    .option('--body-limit <bytes>', 'BODY_LIMIT of the service, if it is not 1048576')
    .option('--only <ids>', 'clauses to check, comma-separated')
    .option('--except <ids>', 'clauses to skip, comma-separated; they are reported as not checked');
  addReportOptions(verify).action(
    async ({ token = environment['API_TOKEN'], json = false, force = false, ...options }) => {
      // Not by commander, which would name it before an option that is misspelt.
      if (options.url === undefined) verify.error("error: required option '--url <url>' not specified");
      const { verifyService } = await import('@plant-store/contracts-http/cli');
      const { failed } = await verifyService({ ...options, token, json, force }, host);
      // Not exitCode: a faulty service may have left something that keeps this process alive.
      await exitWhenPrinted(host, failed === 0 ? 0 : 1);
    },
  );

  // The ids are the contract's, which is not loaded for other commands.
  program.hook('preSubcommand', async (_program, command) => {
    if (command !== verify) return;
    const { fixedIds } = await import('@plant-store/contracts-http');
    verify.addHelpText('after', `\n${proxyHelp}\n\n${plantsHelp}\n${fixedIds.join(', ')}.`);
  });
}

const proxyHelp = `A reverse proxy handles framing and connections itself: run verify against the service directly, or skip those clauses
with --except.`;

const plantsHelp = `It takes about 15 seconds and leaves plants in the store, two of them as large as the body limit, at most 1 MiB. Their
ids are random except for these, which every run reuses; plants that already have these ids stay unchanged:`;
