import { fixedIds } from '@plant-store/contracts-http';
import type { ContractReport } from '@plant-store/contracts-kit';
import type { Command } from 'commander';
import { databaseUrlForms, scratchPlaces } from '../stores/engines.ts';
import { verifyService } from '../verify/verify-service.ts';
import { verifyStore } from '../verify/verify-store.ts';
import { command } from './command.ts';

/**
 * `verify` and `verify-store`. Their exit code is 0 when every promise is kept, 1 when one is broken, and 2 when there
 * was nothing to check.
 */
export function verifyCommands(environment: NodeJS.ProcessEnv): readonly Command[] {
  const service = verification('verify', 'check that a running service keeps the promises of the HTTP interface')
    .requiredOption('--url <url>', 'base address of the service')
    .option(
      '--token <token>',
      'token that it accepts (default: API_TOKEN, which other users of the machine do not see)',
    )
    .option('--other-token <token>', 'another token that it accepts')
    .option('--body-limit <bytes>', "the service's BODY_LIMIT, where it is not 1048576")
    .option('--except <ids>', 'not these clauses, with commas between them; they are reported as not checked')
    .addHelpText('after', `\n${proxyHelp}\n\n${leftHelp}`)
    .action(async ({ url, token = environment['API_TOKEN'], otherToken, bodyLimit, only, except, json = false }) =>
      exit(await verifyService({ url, token, otherToken, bodyLimit, only, except, json })),
    );

  const store = verification(
    'verify-store',
    'check that a store keeps the promises of the port, in a scratch place beside it',
  )
    .option('--url <url>', `${databaseUrlForms} (default: DATABASE_URL)`)
    .addHelpText('after', `\n${placesHelp}`)
    .action(async ({ url = environment['DATABASE_URL'], only, json = false }) =>
      exit(await verifyStore({ url, only, json })),
    );
  return [service, store];
}

function verification(name: string, description: string): Command {
  return command(name, description)
    .option('--only <ids>', 'only these clauses, with commas between them')
    .option('--json', 'print the report as JSON and nothing else');
}

/** At once: a service or a store that is not sound may have left something that keeps the process going. */
function exit({ failed }: ContractReport): never {
  process.exit(failed === 0 ? 0 : 1);
}

const proxyHelp = `A proxy in front answers for itself about framing and connections: run verify against the service, or name those
clauses with --except.`;

const leftHelp = `It takes about a quarter of a minute and leaves plants in the store, two of them as large as the body limit, 1 MiB at
most. Their ids are random, but for these, which every run uses again:
${fixedIds.join(', ')}.
Where somebody else's plant has one of these, it stays as it is.`;

const placesHelp = `It works in a place of its own, and removes it at the end:\n${scratchPlaces}`;
