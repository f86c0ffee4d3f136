import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../contract.ts';
import type { KnownFailures } from '../known-failures.ts';
import { type ContractReport, type RunOptions, runContract } from '../run-contract.ts';
import { assertClauses, UsageError } from '../select-clauses.ts';
import { realTime } from '../waiting.ts';
import type { commonOptions, Host, Values } from './command.ts';
import { errorMessage, printable, printableLines } from './messages.ts';
import { assertWritable, type ReportFiles, writeReport } from './report-files.ts';
import { clauseText, htmlReport, junitReport, type Run, summaryText } from './reports.ts';

/** How a run is reported. */
type Reporting = ReportFiles &
  Pick<Values<typeof commonOptions>, 'json' | 'known-failures'> &
  Pick<Run, 'program' | 'subject'>;

/**
 * Checks a contract and prints the results on standard output: each clause as it completes and a summary, or the whole
 * report as JSON at the end. On a terminal, standard error shows the clause that is being checked.
 *
 * @throws {UsageError} before the run, if a report file cannot be written, or the known failures cannot be read.
 */
export async function checkAndReport<Subject>(
  contract: Contract<Subject>,
  subject: Subject,
  reporting: Reporting,
  { stdout, stderr }: Host,
  whyUnreachable?: RunOptions['whyUnreachable'],
): Promise<ContractReport> {
  const { json, junit, html, 'known-failures': path } = reporting;
  await assertWritable(reporting);
  const knownFailures = path === undefined ? {} : await readKnownFailures(path, contract);
  const print = (text: string) => stdout.write(`${text}\n`);
  const ids = contract.clauses.map(({ id }) => id);
  const startedAt = new Date();
  // Not realTime's sleep, which keeps no process alive: here nothing else does.
  const tools = { ...realTime, sleep: (ms: number) => sleep<void>(ms) };
  const report = await runContract(contract, subject, tools, {
    knownFailures,
    ...(whyUnreachable && { whyUnreachable }),
    onStart({ id, title }) {
      const line = printable(`${ids.indexOf(id) + 1} of ${ids.length}: ${id} ${title}`);
      // A line that wraps could not be erased.
      if (stderr.isTTY) stderr.write(line.slice(0, (stderr.columns ?? 80) - 1));
    },
    onResult(result) {
      if (stderr.isTTY) stderr.write(ERASE_LINE);
      if (!json) print(clauseText(result));
    },
  });
  const run = { ...reporting, startedAt, seconds: (Date.now() - startedAt.getTime()) / 1_000 };
  print(json ? printableLines(JSON.stringify(report, undefined, 2)) : summaryText(report, run));
  if (junit !== undefined) await writeReport(junit, junitReport(report, run), reporting);
  if (html !== undefined) await writeReport(html, htmlReport(report, run), reporting);
  return report;
}

const ERASE_LINE = '\r\u001b[K';

/** @throws {UsageError} if the file cannot be read, or names a clause that the contract does not have. */
async function readKnownFailures(path: string, contract: Contract<never>): Promise<KnownFailures> {
  const option = `--known-failures: ${path}`;
  const known: unknown = await readFile(path, 'utf8')
    .then(JSON.parse)
    .catch((error) => {
      throw new UsageError(`${option}: ${errorMessage(error)}`);
    });
  if (!isKnownFailures(known))
    throw new UsageError(`${option}: expected an object with a reason for each clause, {"PR-16": "…"}`);
  assertClauses(contract, option, Object.keys(known));
  return known;
}

function isKnownFailures(value: unknown): value is KnownFailures {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((reason) => typeof reason === 'string' && reason !== '');
}
