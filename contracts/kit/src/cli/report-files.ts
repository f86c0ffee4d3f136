import { access, constants, lstat, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../select-clauses.ts';
import type { commonOptions, Values } from './command.ts';

/** Where to write a report, besides standard output, and whether to replace what is there. */
export type ReportFiles = Pick<Values<typeof commonOptions>, 'junit' | 'html' | 'force'>;

/**
 * Looks at the files before the run: nobody should wait for a minute of checks to read that a path is wrong.
 *
 * @throws {UsageError} if one cannot be written, or both are one.
 */
export async function assertWritable({ junit, html, force }: ReportFiles): Promise<void> {
  if (junit !== undefined && html !== undefined && resolve(junit) === resolve(html))
    throw new UsageError('--junit and --html name the same file: pass two');
  for (const [option, path] of Object.entries({ junit, html })) {
    if (path === undefined) continue;
    const problem = await whyNotWritable(path, force);
    if (problem) throw new UsageError(`--${option}: ${path} ${problem}`);
  }
}

async function whyNotWritable(path: string, force = false): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found && !force) return 'exists: pass another path, or --force';
  if (found && !found.isFile()) return 'is not a regular file: pass another path';
  return access(dirname(path), constants.W_OK).then(
    () => undefined,
    ({ code }: NodeJS.ErrnoException) => `cannot be written (${code}): pass another path`,
  );
}

/** Writes a report that only its owner can read, as a new file: what lies at the path is removed, and never written through. */
export async function writeReport(path: string, text: string, { force }: ReportFiles): Promise<void> {
  if (force) await rm(path, { force });
  await writeFile(path, text, { flag: 'wx', mode: 0o600 });
}
