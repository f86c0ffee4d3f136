import { access, constants, lstat, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../select-clauses.ts';
import type { commonOptions, Values } from './command.ts';

/** The files to which reports are written, and whether existing ones are replaced. */
export type ReportFiles = Pick<Values<typeof commonOptions>, 'junit' | 'html' | 'force'>;

/**
 * Checks before the run, which may take a minute, that the files can be written.
 * @throws {UsageError} if one cannot be written, or both paths name the same file.
 */
export async function assertWritable({ junit, html, force }: ReportFiles): Promise<void> {
  if (junit !== undefined && html !== undefined && resolve(junit) === resolve(html))
    throw new UsageError('--junit and --html name the same file: pass two paths');
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

/** Writes a report as a new file that only its owner can read. An existing file or link is removed, never written through. */
export async function writeReport(path: string, text: string, { force }: ReportFiles): Promise<void> {
  if (force) await rm(path, { force });
  await writeFile(path, text, { flag: 'wx', mode: 0o600 });
}
