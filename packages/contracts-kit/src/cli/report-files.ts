import { errorMessage, UsageError } from '@plant-store/command-line';
import { isSameFile, openTarget, type Target, type TargetOptions } from '@plant-store/command-line/files';

/** Where to write a report, besides standard output; undefined for nowhere. */
export interface ReportFiles extends TargetOptions {
  /** JUnit XML, which most continuous integration shows. */
  readonly junit: string | undefined;
  /** A page that needs no other file. */
  readonly html: string | undefined;
}

/** @throws {UsageError} if both reports would be written to one file. */
export async function assertTwoFiles({ junit, html }: ReportFiles): Promise<void> {
  if (junit !== undefined && html !== undefined && (await isSameFile(junit, html)))
    throw new UsageError('--junit and --html name the same file: pass two');
}

/**
 * Opens the file that an option names, if there is one. Before the run, so that a path that cannot be written is said before
 * a minute of checks.
 *
 * @throws {UsageError} if it cannot be written, see {@link openTarget}.
 */
export async function openReport(
  option: 'junit' | 'html',
  { [option]: path, ...options }: ReportFiles,
): Promise<Target | undefined> {
  if (path === undefined) return undefined;
  return openTarget(path, options).catch((error: unknown) => {
    throw new UsageError(`--${option}: ${errorMessage(error)}`, { cause: error });
  });
}
