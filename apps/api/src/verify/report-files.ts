import { type FileHandle, open } from 'node:fs/promises';
import type { ContractReport } from '@plant-store/contracts-kit';
import { errorMessage, UsageError } from '../errors.ts';
import { htmlReport } from './html-report.ts';
import { junitReport } from './junit-report.ts';
import type { Run } from './run.ts';

/** Where to write a report, besides standard output; undefined for nowhere. */
export interface ReportFiles {
  /** JUnit XML, which most continuous integration shows. */
  readonly junit: string | undefined;
  /** A page that needs no other file. */
  readonly html: string | undefined;
}

/** Writes the reports that were asked for. */
export type WriteReports = (report: ContractReport, run: Run) => Promise<void>;

/**
 * Opens the files before the run, so that a path that cannot be written is said before a minute of checks. A file of an
 * earlier run is replaced.
 *
 * @throws {UsageError} if a file cannot be opened for writing.
 */
export async function openReportFiles({ junit, html }: ReportFiles): Promise<WriteReports> {
  const files = [
    { option: '--junit', path: junit, format: junitReport },
    { option: '--html', path: html, format: htmlReport },
  ];
  const opened: { readonly file: FileHandle; readonly format: typeof junitReport }[] = [];
  for (const { option, path, format } of files) {
    if (path === undefined) continue;
    const file = await open(path, 'w').catch((error: unknown) => {
      throw new UsageError(`${option}: cannot write ${path}: ${errorMessage(error)}`, { cause: error });
    });
    opened.push({ file, format });
  }
  return async (report, run) => {
    for (const { file, format } of opened) {
      await file.writeFile(format(report, run));
      await file.close();
    }
  };
}
