import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Contract, type ContractReport, runContract } from '@plant-store/contracts-kit';
import { printableLines } from '../printable.ts';
import { progressLine } from '../progress-line.ts';
import { clauseText, summaryText } from './report-text.ts';
import type { Stopped } from './stop-when-unreachable.ts';

/**
 * Checks a contract and prints the results on standard output: each clause as it completes and a summary, or the whole
 * report as JSON at the end. On a terminal, standard error shows the clause that is being checked.
 *
 * @param stopped why the run stopped early, if it did: reported once rather than for every remaining clause.
 */
export async function checkAndReport<Subject>(
  contract: Contract<Subject>,
  subject: Subject,
  { json, stopped = () => undefined }: { readonly json: boolean; readonly stopped?: () => Stopped | undefined },
): Promise<ContractReport> {
  const { clauses } = contract;
  const progress = progressLine(process.stderr);
  const showProgress = (done: number) => {
    const next = clauses[done];
    if (next) progress.show(`${done + 1} of ${clauses.length}: ${next.id} ${next.title}`);
  };

  // Also if a signal ends the process.
  process.once('exit', progress.erase);
  // A reader such as `head` may close the pipe early; the run still completes and cleans up.
  process.stdout.on('error', () => {});
  const print = (text: string) => process.stdout.write(`${text}\n`);

  const started = performance.now();
  let done = 0;
  showProgress(done);
  const report = await runContract(
    contract,
    subject,
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
  const stop = stopped();
  // `kept` and `broken` are the former names of two counts, for one release.
  const former = { kept: report.passed, broken: report.failed };
  // It stays the same JSON.
  if (json)
    print(printableLines(JSON.stringify({ ...report, ...former, ...(stop && { stopped: stop }) }, undefined, 2)));
  else print(summaryText(report, (performance.now() - started) / 1_000, stop));
  return report;
}
