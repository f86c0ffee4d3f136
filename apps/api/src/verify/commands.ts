import type { ContractReport } from '@plant-store/domain/contract';
import { Command } from 'commander';
import { verifyService } from './verify-service.ts';
import { verifyStore } from './verify-store.ts';

/**
 * `verify` and `verify-store`. Their exit code is 0 when every promise is kept, 1 when one is broken, and 2 when there
 * was nothing to check.
 */
export function verifyCommands(environment: NodeJS.ProcessEnv): readonly Command[] {
  const service = command('verify', 'check that a running service keeps the promises of the HTTP interface')
    .requiredOption('--url <url>', 'base address of the service')
    .option(
      '--token <token>',
      'token that it accepts (default: API_TOKEN, which other users of the machine do not see)',
    )
    .option('--other-token <token>', 'another token that it accepts')
    .addHelpText('after', '\nIt takes about half a minute and leaves plants with random ids in the store.')
    .action(async ({ url, token = environment['API_TOKEN'], otherToken, only, json = false }) =>
      exit(await verifyService({ url, token, otherToken, only, json })),
    );

  const store = command(
    'verify-store',
    'check that a store keeps the promises of the port, in a scratch place beside it',
  )
    .option('--url <url>', 'postgres://…, sqlite:<path> or memory: (default: DATABASE_URL)')
    .addHelpText('after', `\n${placesHelp}`)
    .action(async ({ url = environment['DATABASE_URL'], only, json = false }) =>
      exit(await verifyStore({ url, only, json })),
    );
  return [service, store];
}

function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--only <ids>', 'only these clauses, with commas between them')
    .option('--json', 'print the report as JSON and nothing else')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}

/** At once: a service or a store that is not sound may have left something that keeps the process going. */
function exit({ broken }: ContractReport): never {
  process.exit(broken === 0 ? 0 : 1);
}

const placesHelp = `PostgreSQL: a scratch database, where the user may create one, else a scratch schema in the given database.
SQLite: a scratch directory beside the given file. Both are removed at the end.`;
