import { readFileSync } from 'node:fs';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { ContractReport } from '../run-contract.ts';
import { UsageError } from '../select-clauses.ts';
import { errorMessage, printable } from './messages.ts';
import { SetupError } from './setup-error.ts';

/** The output streams of a command. */
export interface Host {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** A command that checks a contract. */
export interface Command<Options extends ParseArgsOptionsConfig> {
  /** Precedes each of its messages. */
  readonly name: string;
  /** The package.json that has its version. */
  readonly manifest: URL;
  /** The whole text of `--help`. */
  readonly help: string;
  /** Its options besides {@link commonOptions}. */
  readonly options: Options;
  /**
   * Runs the checks.
   * @throws {UsageError} if arguments are wrong.
   * @throws {SetupError} if what the checks need is broken.
   */
  check(values: Values<Options>, environment: NodeJS.ProcessEnv, host: Host): Promise<ContractReport>;
}

/** The values of a command's own options and of {@link commonOptions}. */
export type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options & typeof commonOptions }>
>['values'];

/** The options of every command, which {@link commonHelp} explains. */
export const commonOptions = {
  only: { type: 'string' },
  except: { type: 'string' },
  revision: { type: 'string' },
  'known-failures': { type: 'string' },
  name: { type: 'string' },
  'implementation-version': { type: 'string' },
  json: { type: 'boolean' },
  report: { type: 'string' },
  badge: { type: 'string' },
  junit: { type: 'string' },
  force: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const satisfies ParseArgsOptionsConfig;

/** The part of `--help` about {@link commonOptions} and the exit codes. */
export const commonHelp = `  --only <ids>            clauses to check, comma-separated
  --except <ids>          clauses to skip, comma-separated; they are reported as not checked
  --revision <name>       revision of the contract, such as 2026-12 (default: the newest)
  --known-failures <file> JSON object with a reason for each clause known to fail; if a listed clause passes, it is a failure
  --name <name>           name of the implementation in the report (default: unnamed)
  --implementation-version <version>
                          its version in the report (default: unknown)
  --json                  print only the report, as JSON
  --report <file>         also write the report, as JSON
  --badge <file>          also write a badge of the report, as JSON for https://shields.io/badges/endpoint-badge
  --junit <file>          also write the report as JUnit XML
  --force                 replace existing files of --report, --badge and --junit
  -h, --help              print this help
  -v, --version           print the version

Exit codes: 0 if no clause failed, 1 if one failed, 2 if an argument is wrong, 3 if the set-up is broken, so that no clause
was checked. Clauses that were not checked are listed and counted. They do not fail the run, and the report says partial.`;

/** Runs a command and resolves with its exit code. An error is one line on standard error. */
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
    const argumentError = argumentErrorMessage(error);
    host.stderr.write(`${name}: ${printable(argumentError ?? errorMessage(error))}\n`);
    if (error instanceof SetupError) return 3;
    return argumentError || error instanceof UsageError ? 2 : 1;
  }
}

/** The message of `parseArgs` without unexpected arguments, because one may be a token. Undefined for other errors. */
function argumentErrorMessage(error: unknown): string | undefined {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return 'unexpected argument; see --help';
  if (!code.startsWith('ERR_PARSE_ARGS_')) return undefined;
  return `${message.split(/\.\s/)[0]}; see --help`;
}

/** Runs a command with the arguments of this process, and exits with its code. */
export async function runProcess<Options extends ParseArgsOptionsConfig>(command: Command<Options>): Promise<void> {
  let code = 0;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe, such as `head`, needs no more.
    if (error.code === 'EPIPE' || code > 0) return;
    code = 1;
    process.stderr.write(`${command.name}: cannot write to standard output (${error.code})\n`);
  });
  process.stderr.on('error', () => {});
  code = (await runCommand(command, process.argv.slice(2), process.env, process)) || code;
  // The checks may have left open handles that would keep this process alive.
  process.stdout.write('', () => process.exit(code));
}
