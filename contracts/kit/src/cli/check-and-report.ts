import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { ClauseResult } from '../clause-result.ts';
import type { Contract } from '../contract.ts';
import type { KnownFailures } from '../known-failures.ts';
import { type ContractReport, runContract } from '../run-contract.ts';
import type { Host } from './command.ts';
import { htmlReport } from './html-report.ts';
import { junitReport } from './junit-report.ts';
import { printable, printableLines } from './printable.ts';
import { readKnownFailures } from './read-known-failures.ts';
import { assertWritable, type ReportFiles, writeReport } from './report-files.ts';
import { clauseText, summaryText } from './report-text.ts';
import type { Stopped } from './stop-when-unreachable.ts';

/** How a run is reported. */
export interface Reporting extends ReportFiles {
  /** The program that checks, for the report files. */
  readonly program: string;
  /** What is checked, without secrets, for the report files. */
  readonly subject: string;
  /** Whether standard output has the report as JSON instead of text. */
  readonly json?: boolean | undefined;
  /** A file with the clauses that are known to fail, see {@link KnownFailures}. */
  readonly 'known-failures'?: string | undefined;
}

/**
 * Checks a contract and prints the results on standard output: each clause as it completes and a summary, or the whole
 * report as JSON at the end. On a terminal, standard error shows the clause that is being checked.
 *
 * @param stopped why the run stopped early, if it did: reported once rather than for every remaining clause.
 * @throws {UsageError} before the run, if a report file cannot be written, or the known failures cannot be read.
 */
export async function checkAndReport<Subject>(
  contract: Contract<Subject>,
  subject: Subject,
  reporting: Reporting,
  { stdout, stderr }: Host,
  stopped: () => Stopped | undefined = () => undefined,
): Promise<ContractReport> {
  const { program, json, junit, html, force } = reporting;
  await assertWritable(reporting);
  const knownFailures = await readKnownFailures(reporting['known-failures'], contract);
  const print = (text: string) => stdout.write(`${text}\n`);

  const started = performance.now();
  const startedAt = new Date();
  const report = await runWithProgress(contract, subject, stderr, knownFailures, (result) => {
    if (!json && !(stopped() && result.verdict === 'not-checked')) print(clauseText(result));
  });
  const run = { program, subject: reporting.subject, startedAt, seconds: (performance.now() - started) / 1_000 };
  const stop = stopped();
  // It stays the same JSON.
  if (json) print(printableLines(JSON.stringify({ ...report, ...(stop && { stopped: stop }) }, undefined, 2)));
  else print(summaryText(report, run.seconds, stop));
  if (junit !== undefined) await writeReport(junit, junitReport(report, run), force);
  if (html !== undefined) await writeReport(html, htmlReport(report, run), force);
  return report;
}

async function runWithProgress<Subject>(
  contract: Contract<Subject>,
  subject: Subject,
  stderr: Host['stderr'],
  knownFailures: KnownFailures,
  onResult: (result: ClauseResult) => void,
): Promise<ContractReport> {
  const { clauses } = contract;
  const write = (text: string) => stderr.isTTY && stderr.write(text);
  const showProgress = (done: number) => {
    const next = clauses[done];
    // A line that wraps could not be erased.
    const line = next && printable(`${done + 1} of ${clauses.length}: ${next.id} ${next.title}`);
    if (line) write(line.slice(0, (stderr.columns ?? 80) - 1));
  };
  let done = 0;
  showProgress(done);
  return runContract(
    contract,
    subject,
    // Not realTime: its sleeps keep no process alive, and here nothing else does.
    { sleep: (ms) => sleep(ms), nextTurn },
    {
      knownFailures,
      onResult(result) {
        write(ERASE_LINE);
        onResult(result);
        done += 1;
        showProgress(done);
      },
    },
  );
}

const ERASE_LINE = '\r\u001b[K';
