import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../contract.ts';
import type { KnownFailures } from '../known-failures.ts';
import { type ContractReport, type RunOptions, runContract } from '../run-contract.ts';
import { assertClauses, UsageError } from '../select-clauses.ts';
import { realTime } from '../waiting.ts';
import type { commonOptions, Host, Values } from './command.ts';
import { errorMessage, printableLines } from './messages.ts';
import { assertWritable, writeReport } from './report-files.ts';
import { clauseText, junitReport, type Run, summaryText } from './reports.ts';

/** Where a run is reported, and what the reports say of it. */
type Reporting = Pick<Values<typeof commonOptions>, 'json' | 'junit' | 'force' | 'known-failures'> &
  Pick<Run, 'program' | 'subject'>;

/**
 * Checks a contract and prints each clause when it completes, then a summary, or with `json` the report at the end. Writes the
 * report file.
 *
 * @throws {UsageError} before the run, if the report file cannot be written or the known failures cannot be read.
 */
export async function checkAndReport<Subject>(
  contract: Contract<Subject>,
  subject: Subject,
  reporting: Reporting,
  { stdout }: Host,
  whyUnreachable?: RunOptions['whyUnreachable'],
): Promise<ContractReport> {
  const { json, junit, force, 'known-failures': path } = reporting;
  if (junit !== undefined) await assertWritable(junit, force);
  const knownFailures = path === undefined ? {} : await readKnownFailures(path, contract);
  const print = (text: string) => stdout.write(`${text}\n`);
  const startedAt = new Date();
  // realTime's sleep does not keep the process alive, and here nothing else does.
  const tools = { ...realTime, sleep: (ms: number) => sleep<void>(ms) };
  const report = await runContract(contract, subject, tools, {
    knownFailures,
    ...(whyUnreachable && { whyUnreachable }),
    ...(!json && { onResult: (result) => print(clauseText(result)) }),
  });
  const run = { ...reporting, startedAt, seconds: (Date.now() - startedAt.getTime()) / 1_000 };
  print(json ? printableLines(JSON.stringify(report, undefined, 2)) : summaryText(report, run));
  if (junit !== undefined) await writeReport(junit, junitReport(report, run), force);
  return report;
}

/** @throws {UsageError} if the file cannot be read, or names a clause that the contract does not have. */
async function readKnownFailures(path: string, contract: Contract<never>): Promise<KnownFailures> {
  const option = `--known-failures: ${path}`;
  const known: unknown = await readFile(path, 'utf8')
    .then(JSON.parse)
    .catch((error) => {
      throw new UsageError(`${option}: ${errorMessage(error)}`);
    });
  if (!isKnownFailures(known))
    throw new UsageError(`${option}: expected a JSON object with a reason for each clause, {"PR-16": "…"}`);
  assertClauses(contract, option, Object.keys(known));
  return known;
}

function isKnownFailures(value: unknown): value is KnownFailures {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((reason) => typeof reason === 'string' && reason !== '');
}
