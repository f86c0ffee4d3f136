import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addCompletionCommand } from './completion-command.ts';
import { addConfigCommand } from './config-command.ts';
import { addExportCommand } from './export-command.ts';
import { addHelpCommand } from './help-command.ts';
import { addImportCommand } from './import-command.ts';
import { addMigrateCommand } from './migrate-command.ts';
import { addTokenCommand } from './token-command.ts';
import { addVerifyCommand } from './verify-command.ts';
import { addVerifyStoreCommand } from './verify-store-command.ts';

/**
 * Runs `plant-store` with its arguments; without any, `serve`. Each command imports what it needs when it runs, so that
 * `--version`, `--help` and the completion in a shell respond at once.
 */
export async function runCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  await commandLine(environment).parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' });
}

function commandLine(environment: NodeJS.ProcessEnv): Command {
  // What is set here applies to every command that is added below.
  const program = new Command('plant-store')
    .description('Creates plants over HTTP and stores them.')
    .version(version(), '-v, --version')
    .helpCommand(false)
    .showSuggestionAfterError()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ outputError: (text, write) => write(oneLine(text)) })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .addHelpText('after', '\nEnvironment variables: plant-store help environment');

  program
    .command('serve')
    .description('run the service (the default)')
    .action(async () => (await import('../serve/index.ts')).serve(environment));
  addMigrateCommand(program, environment);
  addTokenCommand(program);
  addImportCommand(program, environment);
  addExportCommand(program, environment);
  addConfigCommand(program, environment);
  addVerifyCommand(program, environment);
  addVerifyStoreCommand(program, environment);
  addHelpCommand(program, ['completion']);
  // Last: it reads the commands that are there.
  addCompletionCommand(program);
  return program;
}

/** Commander's message as one line: `error: unknown command 'imprt'`, and on the next line `(Did you mean import?)`. */
function oneLine(text: string): string {
  const [message = '', suggestion] = text.trim().split('\n');
  // Excess arguments are not repeated: one of them may be a token.
  const short = message.replace(/^error: |\.$/g, '').replace(/( but got \d+): .*/, '$1');
  return `plant-store: ${short}${suggestion ? ` ${suggestion}` : ''}; see plant-store --help\n`;
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
