import { lstat, open, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from './errors.ts';

/** Where to write a report, besides standard output; undefined for nowhere. */
export interface ReportFiles {
  /** JUnit XML, which most continuous integration shows. */
  readonly junit?: string | undefined;
  /** A page that needs no other file. */
  readonly html?: string | undefined;
  /** Whether existing files are replaced. */
  readonly force?: boolean | undefined;
}

/**
 * Tries the files before the run: nobody should wait for a minute of checks to read that a path is wrong.
 *
 * @throws {UsageError} if one cannot be written, or both are one.
 */
export async function assertWritable({ junit, html, force = false }: ReportFiles): Promise<void> {
  if (junit !== undefined && html !== undefined && resolve(junit) === resolve(html))
    throw new UsageError('--junit and --html name the same file: pass two');
  for (const [option, path] of Object.entries({ junit, html })) {
    if (path === undefined) continue;
    const replaces = force && (await isFile(path));
    const handle = await open(path, replaces ? 'r+' : 'wx', 0o600).catch(({ code }: NodeJS.ErrnoException) => {
      const why = code !== 'EEXIST' ? `cannot be written (${code})` : force ? 'is not a regular file' : 'exists';
      throw new UsageError(`--${option}: ${path} ${why}: pass another path${why === 'exists' ? ', or --force' : ''}`);
    });
    await handle.close();
    if (!replaces) await rm(path);
  }
}

/** Writes a report that only its owner can read. It replaces at most a regular file: a pipe without a reader would hang it. */
export async function writeReport(path: string, text: string, force = false): Promise<void> {
  await writeFile(path, text, { flag: force && (await isFile(path)) ? 'w' : 'wx', mode: 0o600 });
}

function isFile(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
