import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Host, printableLines, progressLine } from '@plant-store/command-line';
import { type Contract, type ContractReport, runContract } from '@plant-store/contracts-kit';
import { openReportFiles, type ReportFiles } from './report-files.ts';
import { clauseText, summaryText } from './report-text.ts';
import type { Stopped } from './stop-when-unreachable.ts';

/** How a run is reported. */
export interface Reporting extends ReportFiles {
  /** Whether standard output has the report as JSON instead of text. */
  readonly json: boolean;
}

/**
 * Checks a contract and prints the results on standard output: each clause as it completes and a summary, or the whole
 * report as JSON at the end. On a terminal, standard error shows the clause that is being checked.
 *
 * @param name what is checked, without secrets, for the report files.
 * @param stopped why the run stopped early, if it did: reported once rather than for every remaining clause.
 */
export async function checkAndReport<Subject>(
  contract: Contract<Subject>,
  subject: Subject,
  name: string,
  { json, ...files }: Reporting,
  { stdout, stderr }: Host,
  stopped: () => Stopped | undefined = () => undefined,
): Promise<ContractReport> {
  await using reports = await openReportFiles(files);
  const { clauses } = contract;
  const progress = progressLine(stderr);
  const showProgress = (done: number) => {
    const next = clauses[done];
    if (next) progress.show(`${done + 1} of ${clauses.length}: ${next.id} ${next.title}`);
  };

  // Also if a signal ends the process.
  process.once('exit', progress.erase);
  const print = (text: string) => stdout.write(`${text}\n`);

  const started = performance.now();
  const startedAt = new Date();
  let done = 0;
  showProgress(done);
  const report = await runContract(
    contract,
    subject,
    // Not realTime: its sleeps keep no process alive, and here nothing else does.
    { sleep: (ms) => sleep(ms), nextTurn },
    {
      onResult(result) {
        progress.erase();
        if (!json && !(stopped() && result.verdict === 'not-checked')) print(clauseText(result));
        done += 1;
        showProgress(done);
      },
    },
  );
  const seconds = (performance.now() - started) / 1_000;
  await reports.write(report, { subject: name, startedAt, seconds });
  const stop = stopped();
  // `kept` and `broken` are the former names of two counts, for one release.
  const former = { kept: report.passed, broken: report.failed };
  // It stays the same JSON.
  if (json)
    print(printableLines(JSON.stringify({ ...report, ...former, ...(stop && { stopped: stop }) }, undefined, 2)));
  else print(summaryText(report, seconds, stop));
  return report;
}
