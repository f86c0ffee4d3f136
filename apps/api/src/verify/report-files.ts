import {
  errorMessage,
  isSameFile,
  openTarget,
  type Target,
  type TargetOptions,
  UsageError,
} from '@plant-store/command-line';
import type { ContractReport } from '@plant-store/contracts-kit';
import { htmlReport } from './html-report.ts';
import { junitReport } from './junit-report.ts';
import type { Run } from './run.ts';

/** Where to write a report, besides standard output; undefined for nowhere. */
export interface ReportFiles extends TargetOptions {
  /** JUnit XML, which most continuous integration shows. */
  readonly junit: string | undefined;
  /** A page that needs no other file. */
  readonly html: string | undefined;
}

/** The reports that were asked for. */
export interface Reports extends AsyncDisposable {
  write(report: ContractReport, run: Run): Promise<void>;
}

/**
 * Opens the files before the run, so that a path that cannot be written is said before a minute of checks.
 *
 * @throws {UsageError} if a file cannot be written, see {@link openTarget}.
 */
export async function openReportFiles({ junit, html, ...options }: ReportFiles): Promise<Reports> {
  if (junit !== undefined && html !== undefined && (await isSameFile(junit, html)))
    throw new UsageError('--junit and --html name the same file: pass two');
  await using resources = new AsyncDisposableStack();
  const files = [
    { option: '--junit', path: junit, format: junitReport },
    { option: '--html', path: html, format: htmlReport },
  ];
  const opened: { readonly target: Target; readonly format: typeof junitReport }[] = [];
  for (const { option, path, format } of files) {
    if (path === undefined) continue;
    const target = await openTarget(path, options).catch((error: unknown) => {
      throw new UsageError(`${option}: ${errorMessage(error)}`, { cause: error });
    });
    opened.push({ target: resources.use(target), format });
  }
  const kept = resources.move();
  return {
    async write(report, run) {
      for (const { target, format } of opened) await target.write([format(report, run)]);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
