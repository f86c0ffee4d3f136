import { setImmediate as nextTurn } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import { ConfigError, errorMessage, IncompleteError, UsageError } from '../errors.ts';
import type { Host } from '../host.ts';
import { printable, printableLines } from '../printable.ts';
import { version } from '../version.ts';
import { addExportCommand, addImportCommand } from './bulk-commands.ts';
import { addConfigCommand } from './config-command.ts';
import { addHelpCommand } from './help-command.ts';
import { addMigrateCommand } from './migrate-command.ts';
import { addTokenCommand } from './token-command.ts';

/**
 * Runs `plant-store` with its arguments; without any, `serve`. An error becomes one message on standard error and an exit code:
 * 2 for a usage error or a wrong setting, 3 for an incomplete command, else 1. Commands load their dependencies when they run, so
 * that `--version` and `--help` respond at once.
 */
export async function runCommandLine(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  host: Host = process,
): Promise<void> {
  try {
    await commandLine(environment, host).parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' });
  } catch (thrown) {
    // Commander throws after it has printed the requested help.
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return;
    // The first error, because a failed cleanup usually results from it.
    let error: unknown = thrown;
    while (error instanceof SuppressedError) error = error.suppressed;
    // Commander has printed its own errors. The stack is only for LOG_LEVEL=debug.
    if (!(error instanceof CommanderError)) host.stderr.write(`plant-store: ${errorText(error)}\n`);
    if (environment['LOG_LEVEL'] === 'debug' && error instanceof Error)
      host.stderr.write(`${printableLines(error.stack ?? '')}\n`);
    host.exitCode = exitCodeOf(error);
    // Failed writes are reported in the next turn of the event loop.
    await nextTurn();
    host.exit();
  }
}

/** Escapes the message of an error to one line. Only our own list of invalid settings may have several lines. */
function errorText(error: unknown): string {
  return error instanceof ConfigError ? printableLines(error.message) : printable(errorMessage(error));
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof CommanderError) return 2;
  return error instanceof IncompleteError ? 3 : 1;
}

function commandLine(environment: NodeJS.ProcessEnv, host: Host): Command {
  let isOutputWatched = false;
  // These settings apply to every command that is added below.
  const program = new Command('plant-store')
    .description('Creates plants over HTTP and stores them.')
    .version(version(), '-v, --version')
    .helpCommand(false)
    .showSuggestionAfterError()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut(text) {
        watchOutput();
        host.stdout.write(text);
      },
      writeErr: (text) => void host.stderr.write(text),
      outputError: (text, write) => write(usageMessage(text)),
    })
    .exitOverride()
    .addHelpText('after', '\nEnvironment variables: plant-store help environment')
    .hook('preAction', (_program, command) => {
      const name = command.name();
      // `serve` counts log lines that it cannot write, and an `export` that cannot write is incomplete.
      if (name !== 'serve' && name !== 'export') watchOutput();
      // An error of standard error cannot be reported. `serve` has its log.
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
  addHelpCommand(program, host);
  return program;

  /** Continues if standard output cannot be written, and reports it once, unless the reader has closed the pipe, as `head` does. */
  function watchOutput(): void {
    if (isOutputWatched) return;
    isOutputWatched = true;
    let isReported = false;
    host.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || isReported) return;
      isReported = true;
      host.exitCode ||= 1;
      host.stderr.write(`plant-store: cannot write to standard output (${code})\n`);
    });
  }
}

/** Joins Commander's message and its suggestion, such as `(Did you mean import?)`, which is on a second line. */
function usageMessage(text: string): string {
  const [, message = '', suggestion] = /^error: (.*?)\.?(?:\n(\(Did you mean .*\)))?$/s.exec(text.trim()) ?? [];
  // Removes excess arguments and values of unknown options, because one of them may be a token.
  const short = message.replace(/( but got \d+): .*/s, '$1').replace(/^(unknown option '-(?:-[^'=]*|.)).*/s, "$1'");
  return `plant-store: ${printable(suggestion ? `${short} ${suggestion}` : short)}; see --help\n`;
}
