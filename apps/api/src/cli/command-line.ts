import { setImmediate as nextTurn } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import { ConfigError, errorMessage, IncompleteError, UsageError } from '../errors.ts';
import type { Host } from '../host.ts';
import { printable, printableLines } from '../printable.ts';
import { version } from '../version.ts';
import { addConfigCommand } from './config-command.ts';
import { addExportCommand } from './export-command.ts';
import { addHelpCommand } from './help-command.ts';
import { addImportCommand } from './import-command.ts';
import { addMigrateCommand } from './migrate-command.ts';
import { addTokenCommand } from './token-command.ts';

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
  try {
    await commandLine(environment, host).parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' });
  } catch (thrown) {
    // Help that was asked for, and is written.
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return;
    // The first failure; a failed cleanup usually follows from it.
    let error: unknown = thrown;
    while (error instanceof SuppressedError) error = error.suppressed;
    // Commander has written its own. Others are for a person, without the stack, which LOG_LEVEL=debug shows.
    if (!(error instanceof CommanderError)) host.stderr.write(`plant-store: ${shown(error)}\n`);
    if (environment['LOG_LEVEL'] === 'debug' && error instanceof Error)
      host.stderr.write(`${printableLines(error.stack ?? '')}\n`);
    host.exitCode = exitCodeOf(error);
    // A write that failed is reported a moment later.
    await nextTurn();
    host.exit();
  }
}

/** One line, whoever's words are in it; only the list of what is wrong with the configuration, which is ours, has several. */
function shown(error: unknown): string {
  return error instanceof ConfigError ? printableLines(error.message) : printable(errorMessage(error));
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof CommanderError) return 2;
  return error instanceof IncompleteError ? 3 : 1;
}

function commandLine(environment: NodeJS.ProcessEnv, host: Host): Command {
  let isWatched = false;
  // What is set here applies to every command that is added below.
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
      outputError: (text, write) => write(oneLine(text)),
    })
    .exitOverride()
    .addHelpText('after', '\nEnvironment variables: plant-store help environment')
    .hook('preAction', (_program, command) => {
      const name = command.name();
      // The log of the one counts what it cannot write; an export that cannot be written is incomplete.
      if (name !== 'serve' && name !== 'export') watchOutput();
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
  addHelpCommand(program, host);
  return program;

  /** A command goes on when what it prints cannot be written. A reader that closes the pipe early, as `head` does, has what it wanted. */
  function watchOutput(): void {
    if (isWatched) return;
    isWatched = true;
    let isTold = false;
    host.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || isTold) return;
      isTold = true;
      host.exitCode ||= 1;
      host.stderr.write(`plant-store: cannot write to standard output (${code})\n`);
    });
  }
}

/** Commander's message as one line: `error: unknown command 'imprt'`, and on the next line `(Did you mean import?)`. */
function oneLine(text: string): string {
  const [, message = '', suggestion] = /^error: (.*?)\.?(?:\n(\(Did you mean .*\)))?$/s.exec(text.trim()) ?? [];
  // Neither excess arguments nor the value of an unknown option are repeated: one of them may be a token.
  const short = message.replace(/( but got \d+): .*/s, '$1').replace(/^(unknown option '-(?:-[^'=]*|.)).*/s, "$1'");
  return `plant-store: ${printable(suggestion ? `${short} ${suggestion}` : short)}; see --help\n`;
}
