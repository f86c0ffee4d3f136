import { Writable } from 'node:stream';
import { vi } from 'vitest';
import { runCommandLine } from '../src/cli/command-line.ts';

/** What `process.exit` throws here. */
class Exit {
  readonly code: number;
  constructor(code: number) {
    this.code = code;
  }
}

/**
 * Runs a command of `plant-store` in this process, which saves the CPU of a start. Only what is about a process needs its own.
 *
 * @returns the exit code, and what it printed, without its progress.
 */
export async function runHere(command: string, environment: NodeJS.ProcessEnv = {}) {
  let printed = '';
  const collect = () =>
    new Writable({
      write(chunk, _, done) {
        printed += chunk;
        done();
      },
    }) as typeof process.stdout & typeof process.stderr;
  using _out = vi.spyOn(process, 'stdout', 'get').mockReturnValue(collect());
  using _error = vi.spyOn(process, 'stderr', 'get').mockReturnValue(collect());
  using _exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Exit(Number(code));
  });
  const before = process.exitCode;
  process.exitCode = 0;
  let code: number | undefined;
  try {
    await runCommandLine(command.split(' '), environment);
    code = process.exitCode;
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    code = error.code;
  } finally {
    process.exitCode = before;
  }
  return { code, output: printed.replaceAll(progress, '') };
}

/** A busy machine takes longer than a second, after which a command shows its progress. */
const progress = /^\d+ (?:stored, \d+ rejected|plants written)\n(?=[\s\S]*^\d+ (?:stored|plants written))/gm;
