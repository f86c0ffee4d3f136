import { parseArgs } from 'node:util';
import { errorMessage, printable } from './messages.ts';

/** The output streams of a command. */
export interface Host {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Arguments are wrong, so nothing was done. The message says what to pass instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What the checks need is broken, so no clause can say anything of the implementation. The message says what to fix. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

/** A command that checks a contract. */
export interface Command<Option extends string = never> {
  /** Precedes each of its messages. */
  readonly name: string;
  /** The whole text of `--help`. */
  readonly help: string;
  /** Its options besides the common ones. Each takes a value. */
  readonly options: readonly Option[];
  /**
   * Runs the checks, and resolves with whether no clause has failed.
   * @throws {UsageError} if arguments are wrong.
   * @throws {SetupError} if what the checks need is broken.
   */
  check(values: Values<Option>, environment: NodeJS.ProcessEnv, host: Host): Promise<boolean>;
}

/** The values of a command's own options and of the common ones. */
export type Values<Option extends string = never> = { readonly [Name in Option | 'only' | 'json']?: string };

/** The part of `--help` about the common options and the exit codes. */
export const commonHelp = `  --only <ids>            clauses to check, comma-separated; the others are counted
  --json <file>           also write the verdicts to a file, as JSON
  -h, --help              print this help

Exit codes: 0 if no clause failed, 1 if one failed, 2 if an argument is wrong, 3 if the set-up is broken, so that no clause
was checked. Clauses that were not checked are listed and counted. They do not fail the run.`;

/** Runs a command and resolves with its exit code. An error is one line on standard error. */
export async function runCommand<Option extends string>(
  { name, help, options, check }: Command<Option>,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  host: Host,
): Promise<number> {
  try {
    const taking = ['only', 'json', ...options].map((option) => [option, { type: 'string' }] as const);
    const isHelp = { help: { type: 'boolean', short: 'h' } } as const;
    const { values } = parseArgs({ args: [...args], options: { ...Object.fromEntries(taking), ...isHelp } });
    if (values.help) host.stdout.write(`${help}\n`);
    else if (!(await check(values as Values<Option>, environment, host))) return 1;
    return 0;
  } catch (error) {
    const wrongArgument = argumentErrorMessage(error);
    host.stderr.write(`${name}: ${printable(wrongArgument ?? errorMessage(error)).replaceAll('\n', ' ')}\n`);
    if (error instanceof SetupError) return 3;
    return wrongArgument || error instanceof UsageError ? 2 : 1;
  }
}

/** The message of `parseArgs` without unexpected arguments, because one may be a token. Undefined for other errors. */
function argumentErrorMessage(error: unknown): string | undefined {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return 'unexpected argument; see --help';
  return code.startsWith('ERR_PARSE_ARGS_') ? `${message.split(/\.\s/)[0]}; see --help` : undefined;
}

/** Runs a command with the arguments of this process, and exits with its code. */
export async function runProcess<Option extends string>(command: Command<Option>): Promise<void> {
  // A reader that closes the pipe, such as `head`, needs no more.
  process.stdout.on('error', () => {});
  const code = await runCommand(command, process.argv.slice(2), process.env, process);
  // The checks may have left open handles that would keep this process alive.
  process.stdout.write('', () => process.exit(code));
}
