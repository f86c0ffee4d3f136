import { readFileSync } from 'node:fs';
import { newToken } from '@plant-store/adapters-tokens';
import { Command, Option } from 'commander';
import { exportCommand } from '../bulk/export/run-export.ts';
import { readConfig } from '../config/config.ts';
import { allSettings, settingsHelp } from '../config/settings-text.ts';
import { serve } from '../serve/serve.ts';
import { type MigrationStatus, type StoreEngine, storeEngine } from '../stores/engines.ts';
import { addCompletion } from './completion.ts';
import { configCommand } from './config-command.ts';
import { importCommand } from './import-command.ts';
import { verifyCommands } from './verify-commands.ts';

/** The command line, `plant-store`. It reads the environment that it is given, and writes to standard output. */
export function commandLine(environment: NodeJS.ProcessEnv): Command {
  const program = new Command('plant-store')
    .description('The plant store service: creates plants over HTTP, and keeps them.')
    .version(version(), '-v, --version')
    .addHelpText('after', `\n${settingsHelp(allSettings)}`)
    .showHelpAfterError('(plant-store --help shows what there is)');

  program
    .command('serve', { isDefault: true })
    .description('run the service (the default)')
    .allowExcessArguments()
    .action((_options, { args: [unknown] }) => {
      // As the default, this is where a command that does not exist ends up.
      if (unknown !== undefined) program.error(`error: unknown command '${unknown}'`);
      return serve(environment);
    });

  const migrate = program.command('migrate').description("look after the store's schema");
  migrate
    .command('up')
    .description('bring the schema up to date')
    .addOption(new Option('--distribute <engine>', 'then spread the plants by id over the nodes').choices(['citus']))
    .action(async ({ distribute }: { distribute?: string }) => {
      const store = engine(environment);
      if (distribute && !store.distribute) throw new Error('--distribute: this store cannot be spread over nodes');
      print(await store.migrate());
      if (distribute) await store.distribute?.();
    });
  migrate
    .command('status')
    .description('show which migrations were applied; exit code 1 if one is missing')
    .action(async () => {
      const status = await engine(environment).status();
      print(status);
      if (status.some(({ applied }) => !applied)) process.exitCode = 1;
    });

  program
    .command('token')
    .description('make access tokens')
    .command('new')
    .description('print a new token, once, and the entry for API_TOKENS that accepts it')
    .action(() => {
      const { token, entry } = newToken();
      process.stdout.write(
        `token: ${token}\nentry: ${entry}\n\nGive the token to the caller; put the entry into API_TOKENS or API_TOKENS_FILE.\n`,
      );
    });

  program.addCommand(importCommand(environment)).addCommand(exportCommand(environment));
  program.addCommand(configCommand(environment));
  for (const command of verifyCommands(environment)) program.addCommand(command);
  addCompletion(program);
  return program;
}

function engine(environment: NodeJS.ProcessEnv): StoreEngine {
  const { databaseUrl } = readConfig(environment);
  return storeEngine(databaseUrl, () => {});
}

function print(status: MigrationStatus): void {
  const lines = status.map(({ name, applied }) => `${applied ? 'applied' : 'missing'}  ${name}`);
  process.stdout.write(`${lines.join('\n') || 'this store has no schema'}\n`);
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
