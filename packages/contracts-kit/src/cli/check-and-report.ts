import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Host, printableLines, progressLine } from '@plant-store/command-line';
import type { Contract } from '../contract.ts';
import { type ClauseResult, type ContractReport, runContract } from '../run-contract.ts';
import { htmlReport } from './html-report.ts';
import { junitReport } from './junit-report.ts';
import { assertTwoFiles, openReport, type ReportFiles } from './report-files.ts';
import { clauseText, summaryText } from './report-text.ts';
import type { Stopped } from './stop-when-unreachable.ts';

/** How a run is reported. */
export interface Reporting extends ReportFiles {
  /** The program that checks, for the report files. */
  readonly program: string;
  /** What is checked, without secrets, for the report files. */
  readonly subject: string;
  /** Whether standard output has the report as JSON instead of text. */
  readonly json: boolean;
}

/**
 * Checks a contract and prints the results on standard output: each clause as it completes and a summary, or the whole
 * report as JSON at the end. On a terminal, standard error shows the clause that is being checked.
 *
 * @param stopped why the run stopped early, if it did: reported once rather than for every remaining clause.
 * @throws {UsageError} before the run, if a report file cannot be written.
 */
export async function checkAndReport<Subject>(
  contract: Contract<Subject>,
  subject: Subject,
  reporting: Reporting,
  { stdout, stderr }: Host,
  stopped: () => Stopped | undefined = () => undefined,
): Promise<ContractReport> {
  await assertTwoFiles(reporting);
  await using junit = await openReport('junit', reporting);
  await using html = await openReport('html', reporting);
  const print = (text: string) => stdout.write(`${text}\n`);

  const started = performance.now();
  const startedAt = new Date();
  const report = await runWithProgress(contract, subject, stderr, (result) => {
    if (!reporting.json && !(stopped() && result.verdict === 'not-checked')) print(clauseText(result));
  });
  const run = { ...reporting, startedAt, seconds: (performance.now() - started) / 1_000 };
  await junit?.write([junitReport(report, run)]);
  await html?.write([htmlReport(report, run)]);
  const stop = stopped();
  // It stays the same JSON.
  if (reporting.json)
    print(printableLines(JSON.stringify({ ...report, ...(stop && { stopped: stop }) }, undefined, 2)));
  else print(summaryText(report, run.seconds, stop));
  return report;
}

async function runWithProgress<Subject>(
  contract: Contract<Subject>,
  subject: Subject,
  stderr: Host['stderr'],
  onResult: (result: ClauseResult) => void,
): Promise<ContractReport> {
  const { clauses } = contract;
  const progress = progressLine(stderr);
  const showProgress = (done: number) => {
    const next = clauses[done];
    if (next) progress.show(`${done + 1} of ${clauses.length}: ${next.id} ${next.title}`);
  };
  // Also if a signal ends the process.
  process.once('exit', progress.erase);
  try {
    let done = 0;
    showProgress(done);
    return await runContract(
      contract,
      subject,
      // Not realTime: its sleeps keep no process alive, and here nothing else does.
      { sleep: (ms) => sleep(ms), nextTurn },
      {
        onResult(result) {
          progress.erase();
          onResult(result);
          done += 1;
          showProgress(done);
        },
      },
    );
  } finally {
    process.off('exit', progress.erase);
  }
}
