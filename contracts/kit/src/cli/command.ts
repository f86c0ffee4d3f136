import { readFileSync } from 'node:fs';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { ContractReport } from '../run-contract.ts';
import { UsageError } from '../select-clauses.ts';
import { errorMessage, printable } from './messages.ts';

/** What a command has of its process. */
export interface Host {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown };
}

/** A command that checks a contract. */
export interface Command<Options extends ParseArgsOptionsConfig> {
  /** Begins its messages. */
  readonly name: string;
  /** The package.json with its version. */
  readonly manifest: URL;
  /** The whole text of `--help`. */
  readonly help: string;
  /** Besides {@link commonOptions}. */
  readonly options: Options;
  /** @throws {UsageError} if there is nothing to check. */
  check(values: Values<Options>, environment: NodeJS.ProcessEnv, host: Host): Promise<ContractReport>;
}

/** What a command is given of its options, and of those that every command has. */
export type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options & typeof commonOptions }>
>['values'];

/** The options that every command has: {@link commonHelp} says what they do. */
export const commonOptions = {
  only: { type: 'string' },
  except: { type: 'string' },
  revision: { type: 'string' },
  'known-failures': { type: 'string' },
  json: { type: 'boolean' },
  junit: { type: 'string' },
  html: { type: 'string' },
  force: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const satisfies ParseArgsOptionsConfig;

/** What `--help` says of them, and of the exit codes. */
export const commonHelp = `  --only <ids>            clauses to check, comma-separated
  --except <ids>          clauses to skip, comma-separated; they are reported as not checked
  --revision <name>       revision of the contract, such as 2026-12 (default: the newest)
  --known-failures <file> JSON with the reason for each clause that is known to fail; one that is kept again fails
  --json                  print only the report, as JSON
  --junit <file>          write the report as JUnit XML, too
  --html <file>           write the report as a page, too
  --force                 replace existing files of --junit and --html
  -h, --help              print this help
  -v, --version           print the version

Exit codes: 0 if no clause failed, 1 if one did, 2 if there was nothing to check. Clauses that were not checked are listed and
counted, and do not fail the run.`;

/** Runs a command and resolves with its exit code. A failure is one line on standard error. */
export async function runCommand<Options extends ParseArgsOptionsConfig>(
  { name, manifest, help, options, check }: Command<Options>,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  host: Host,
): Promise<number> {
  try {
    const { values } = parseArgs({ args: [...args], options: { ...commonOptions, ...options } });
    const { help: isHelp, version: isVersion } = values as Values<typeof commonOptions>;
    if (isHelp || isVersion) {
      host.stdout.write(`${isHelp ? help : JSON.parse(readFileSync(manifest, 'utf8')).version}\n`);
      return 0;
    }
    const { failed } = await check(values as Values<Options>, environment, host);
    return failed === 0 ? 0 : 1;
  } catch (error) {
    const wrongArgument = faultOfArguments(error);
    host.stderr.write(`${name}: ${printable(wrongArgument ?? errorMessage(error))}\n`);
    return wrongArgument || error instanceof UsageError ? 2 : 1;
  }
}

/** What `parseArgs` says, without arguments that no option takes: one of them may be a token. */
function faultOfArguments(error: unknown): string | undefined {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return 'unexpected argument; see --help';
  if (!code.startsWith('ERR_PARSE_ARGS_')) return undefined;
  return `${message.split(/\.\s/)[0]}; see --help`;
}

/** Runs a command as this process, and exits. */
export async function runProcess<Options extends ParseArgsOptionsConfig>(command: Command<Options>): Promise<void> {
  let code = 0;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe, as `head` does, has what it wanted.
    if (error.code === 'EPIPE' || code > 0) return;
    code = 1;
    process.stderr.write(`${command.name}: cannot write to standard output (${error.code})\n`);
  });
  process.stderr.on('error', () => {});
  code = (await runCommand(command, process.argv.slice(2), process.env, process)) || code;
  // What is checked may have left something that keeps this process alive.
  process.stdout.write('', () => process.exit(code));
}
