import { access, constants, lstat, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../select-clauses.ts';

/**
 * Checks before the run, which may take a minute, that the report can be written.
 * @throws {UsageError} if it cannot.
 */
export async function assertWritable(option: string, path: string, force = false): Promise<void> {
  const fail = (problem: string) => {
    throw new UsageError(`--${option}: ${path} ${problem}: pass another path`);
  };
  const found = await lstat(path).catch(() => undefined);
  if (found && !force) fail('exists, and --force is missing');
  if (found && !found.isFile()) fail('is not a regular file');
  await access(dirname(path), constants.W_OK).catch(({ code }) => fail(`cannot be written (${code})`));
}

/** Writes a report as a new file that only its owner can read. An existing file or link is removed, never written through. */
export async function writeReport(path: string, text: string, force = false): Promise<void> {
  if (force) await rm(path, { force });
  await writeFile(path, text, { flag: 'wx', mode: 0o600 });
}
