import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Runs a program to its end and resolves with what it printed.
 *
 * @throws {Error} with the output of a program that fails.
 */
export async function run(
  command: string,
  args: readonly string[],
  { cwd, env = process.env }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<string> {
  try {
    const { stdout } = await execFileAsync(command, args, { cwd, env, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    const output = `${stdout}${stderr}`.trim() || message;
    throw new Error(`"${[command, ...args].join(' ')}" failed:\n${output}`, { cause: error });
  }
}

/** A list of a thousand errors of a compiler has room. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const execFileAsync = promisify(execFile);
