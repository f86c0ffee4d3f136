import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { Command, CommanderError } from 'commander';
import { errorMessage, IncompleteError, UsageError } from '../errors.ts';
import { version } from '../version.ts';
import { addMigrateCommand } from './migrate-command.ts';
import { addStoreOptions, configureStore, nameOfUrl, type StoreUrl, warn } from './store-options.ts';

/**
 * Runs `plant-store` with its arguments; without any, `serve`. An error becomes one message on standard error and an exit code:
 * 2 for a usage error, a wrong setting or wrong credentials, 3 for an incomplete command, else 1. Commands load their dependencies
 * when they run, so that `--version` and `--help` respond at once.
 */
export async function runCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  let options: StoreUrl = {};
  try {
    const program = commandLine(environment).hook('preAction', (_, command) => {
      options = command.opts();
    });
    await program.parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' });
  } catch (error) {
    // Commander has printed its own errors, and the requested help.
    if (!(error instanceof CommanderError))
      warn(`${StoreMisconfigured.is(error) ? `${nameOfUrl(environment, options)}: ` : ''}${errorMessage(error)}`);
    // The stack is only for LOG_LEVEL=debug.
    if (environment['LOG_LEVEL'] === 'debug' && error instanceof Error) warn(error.stack ?? '');
    // A store or a file that is still open must not keep the process alive.
    process.exit(toExitCode(error));
  }
}

function toExitCode(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode && 2;
  if (error instanceof UsageError || StoreMisconfigured.is(error)) return 2;
  return error instanceof IncompleteError || StoreUnavailable.is(error) ? 3 : 1;
}

function commandLine(environment: NodeJS.ProcessEnv): Command {
  // These settings apply to every command that is added below.
  const program = new Command('plant-store')
    .description('Creates plants over HTTP and stores them.')
    .version(version(), '-v, --version')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ outputError: (text, write) => write(`plant-store: ${maskUsageMessage(text)}; see --help\n`) })
    .exitOverride()
    .addHelpText('after', '\nEnvironment variables: plant-store help environment');

  program
    .command('serve')
    .description('run the service (the default)')
    .action(async () => (await import('../serve.ts')).serve(environment));
  addMigrateCommand(program, environment);
  program
    .command('token')
    .description('make access tokens')
    .command('new')
    .description('print a new token, once, and its entry for API_TOKENS')
    .action(async () => {
      const { newToken } = await import('@plant-store/adapters-tokens');
      const { token, entry } = newToken();
      print([
        `token: ${token}`,
        `entry: ${entry}`,
        '',
        'Give the token to the client; add the entry to API_TOKENS or API_TOKENS_FILE. The token is not shown again.',
      ]);
    });
  addStoreOptions(program.command('import'))
    .description('store the plants of NDJSON, a NewPlant a line; rejected lines go to standard error')
    .argument('<file>', '- is standard input')
    .addHelpText(
      'after',
      '\nExit code: 0 every line is stored, 1 some lines were rejected, 2 usage error, 3 incomplete.',
    )
    .action(async (file: string, url: StoreUrl) => {
      const { importFile } = await import('./bulk-commands.ts');
      await importFile(file, await configureStore(environment, url));
    });
  addStoreOptions(program.command('export'))
    .description('write the plants of a store to standard output, as NDJSON')
    .action(async (url: StoreUrl) => {
      const { exportStore } = await import('./bulk-commands.ts');
      await exportStore((await configureStore(environment, url)).storage);
    });
  program
    .command('config')
    .description('print the effective configuration, without secrets')
    .action(async () => print(await (await import('./config-command.ts')).effectiveSettings(environment)));
  program
    .command('help')
    .description('show help for a command or the environment variables')
    .argument('[topic]', 'a command, or environment')
    .action(async (topic?: string) => {
      if (topic === 'environment') return print(await (await import('./config-command.ts')).environmentHelp());
      await program.parseAsync(topic ? [topic, '--help'] : ['--help'], { from: 'user' });
    });
  return program;
}

function print(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** Commander's message without excess arguments and values of unknown options, because one of them may be a token. */
function maskUsageMessage(text: string): string {
  return text
    .trim()
    .replace(/^error: /, '')
    .replace(/( but got \d+): .*/s, '$1')
    .replace(/^(unknown option '-(?:-[^'=]*|.)).*/s, "$1'")
    .replaceAll('\n', ' ');
}
