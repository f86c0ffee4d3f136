import {
  errorMessage,
  type Host,
  IncompleteError,
  printable,
  printableLines,
  UsageError,
} from '@plant-store/command-line';
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../errors.ts';
import { loadStorageAdapter } from '../stores/index.ts';
import { version } from '../version.ts';
import { addConfigCommand } from './config-command.ts';
import { addExportCommand } from './export-command.ts';
import { addHelpCommand } from './help-command.ts';
import { addImportCommand } from './import-command.ts';
import { addMigrateCommand } from './migrate-command.ts';
import { exitWhenPrinted, watchPrinted } from './printed.ts';
import { addTokenCommand } from './token-command.ts';
import { addVerifyCommand } from './verify-command.ts';
import { addVerifyStoreCommand } from './verify-store-command.ts';

/**
 * Runs `plant-store` with its arguments; without any, `serve`. A failure is one message on standard error and an exit code:
 * 2 for a usage error or a wrong setting; 3 for a command that ended early; otherwise 1. Each
 * command imports what it needs when it runs, so that `--version` and `--help` respond at once.
 */
export async function runCommandLine(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  host: Host = process,
): Promise<void> {
  const given = args.length === 0 ? ['serve'] : args;
  await loadStorageAdapter(environment['STORAGE_ADAPTER']);
  let reported: Reported | undefined;
  try {
    const report = (error: Reported) => (reported = error);
    await commandLine(environment, host, report).parseAsync(given, { from: 'user' });
  } catch (thrown) {
    // Unless Commander has written the help that was asked for.
    if (reported) host.stderr.write(oneLine(reported));
    if (thrown instanceof CommanderError) return exitWhenPrinted(host, thrown.exitCode === 0 ? 0 : 2);
    // The first failure; a failed cleanup usually follows from it.
    let error: unknown = thrown;
    while (error instanceof SuppressedError) error = error.suppressed;
    // A message for a person, without the stack, which LOG_LEVEL=debug shows.
    host.stderr.write(`plant-store: ${shown(error)}\n`);
    if (environment['LOG_LEVEL'] === 'debug' && error instanceof Error)
      host.stderr.write(`${printableLines(error.stack ?? '')}\n`);
    await exitWhenPrinted(host, exitCodeOf(error));
  }
}

/** One line, whoever's words are in it; only the list of what is wrong with the configuration, which is ours, has several. */
function shown(error: unknown): string {
  return error instanceof ConfigError ? printableLines(error.message) : printable(errorMessage(error));
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof ConfigError) return 2;
  return error instanceof IncompleteError ? 3 : 1;
}

/** What Commander says of an argument, and the command that it is wrong for. */
interface Reported {
  readonly text: string;
  readonly path: string;
}

function commandLine(environment: NodeJS.ProcessEnv, host: Host, report: (error: Reported) => void): Command {
  // What is set here applies to every command that is added below.
  const program = new Command('plant-store')
    .description('Creates plants over HTTP and stores them.')
    .version(version(), '-v, --version')
    .helpCommand(false)
    .showSuggestionAfterError()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut(text) {
        watchPrinted(host);
        host.stdout.write(text);
      },
      writeErr: (text) => void host.stderr.write(text),
    })
    .exitOverride()
    .addHelpText('after', '\nEnvironment variables: plant-store help environment')
    .hook('preAction', (_program, command) => {
      const name = command.name();
      // The log of the one counts what it cannot write; an export that cannot be written is incomplete.
      if (name !== 'serve' && name !== 'export') watchPrinted(host);
      // Nobody can be told that standard error cannot be written. A service has its log.
      if (name !== 'serve') host.stderr.on('error', () => {});
    });

  program
    .command('serve')
    .description('run the service (the default)')
    .action(async () => (await import('../serve/index.ts')).serve(environment));
  addMigrateCommand(program, environment, host);
  addTokenCommand(program, host);
  addImportCommand(program, environment, host);
  addExportCommand(program, environment, host);
  addConfigCommand(program, environment, host);
  addVerifyCommand(program, environment, host);
  addVerifyStoreCommand(program, environment, host);
  addHelpCommand(program, host);
  reportErrors(program, report);
  return program;
}

/** Has each command report its own errors, with its own help. */
function reportErrors(command: Command, report: (error: Reported) => void, parents: readonly string[] = []): void {
  const path = [...parents, command.name()];
  command.configureOutput({ outputError: (text) => report({ text, path: path.join(' ') }) });
  for (const child of command.commands) reportErrors(child, report, path);
}

/** Commander's message as one line: `error: unknown command 'imprt'`, and on the next line `(Did you mean import?)`. */
function oneLine({ text, path }: Reported): string {
  const [, message = '', suggestion] = /^(.*?)(?:\n(\(Did you mean .*\)))?$/s.exec(text.trim()) ?? [];
  // Neither excess arguments nor the value of an unknown option are repeated: one of them may be a token.
  const short = message
    .replace(/^error: |\.$/g, '')
    .replace(/( but got \d+): .*/s, '$1')
    .replace(/^(unknown option '-(?:-[^'=]*|.)).*/s, "$1'");
  return `plant-store: ${printable(suggestion ? `${short} ${suggestion}` : short)}; see ${path} --help\n`;
}
