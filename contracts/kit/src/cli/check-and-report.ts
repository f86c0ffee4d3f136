import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../contract.ts';
import type { KnownFailures } from '../known-failures.ts';
import { type ContractReport, type RunOptions, runContract } from '../run-contract.ts';
import { assertClauses, UsageError } from '../select-clauses.ts';
import { realTime } from '../waiting.ts';
import type { commonOptions, Host, Values } from './command.ts';
import { errorMessage } from './messages.ts';
import { badge, jsonReport, type PublishedReport, publishedReport } from './published-report.ts';
import { assertWritable, writeReport } from './report-files.ts';
import { clauseText, junitReport, type Run, summaryText } from './reports.ts';

/** What a command says of its run: its common options, the suite and the subject. */
type Reporting = Values<typeof commonOptions> & Pick<Run, 'suite' | 'subject' | 'repeat'>;

/**
 * Prepares the check of a contract. The function that it resolves with checks the contract and prints each clause when it
 * completes, then a summary, or with `json` the report at the end. Then it writes the report files.
 *
 * @throws {UsageError} if report files cannot be written or are the same, or if the known failures cannot be read.
 */
export async function prepareCheck<Subject>(
  contract: Contract<Subject>,
  reporting: Reporting,
  host: Host,
): Promise<(subject: Subject, whyUnreachable?: RunOptions['whyUnreachable']) => Promise<ContractReport>> {
  const { force, 'known-failures': path } = reporting;
  const files = new Set<string>();
  for (const [option] of reportFiles) {
    const file = reporting[option];
    if (file === undefined) continue;
    await assertWritable(option, file, force);
    if (files.has(resolve(file))) throw new UsageError(`--${option}: ${file} is another report: pass another path`);
    files.add(resolve(file));
  }
  const knownFailures = path === undefined ? {} : await readKnownFailures(path, contract);
  return (subject, whyUnreachable) =>
    checkAndReport(contract, subject, reporting, host, { knownFailures, ...(whyUnreachable && { whyUnreachable }) });
}

async function checkAndReport<Subject>(
  contract: Contract<Subject>,
  subject: Subject,
  reporting: Reporting,
  { stdout }: Host,
  runOptions: RunOptions,
): Promise<ContractReport> {
  const { json, force } = reporting;
  const print = (text: string) => stdout.write(`${text}\n`);
  const startedAt = new Date();
  // realTime's sleep does not keep the process alive, and here nothing else does.
  const tools = { ...realTime, sleep: (ms: number) => sleep<void>(ms) };
  const report = await runContract(contract, subject, tools, {
    ...runOptions,
    ...(!json && { onResult: (result) => print(clauseText(result)) }),
  });
  const run = { ...reporting, startedAt, seconds: (Date.now() - startedAt.getTime()) / 1_000 };
  const published = publishedReport(report, run);
  print(json ? jsonReport(published) : summaryText(report, run));
  for (const [option, textOf] of reportFiles) {
    const file = reporting[option];
    if (file !== undefined) await writeReport(file, textOf(published, run), force);
  }
  return report;
}

/** The options that name a file, and the text of the file. */
const reportFiles = [
  ['report', (report: PublishedReport) => `${jsonReport(report)}\n`],
  ['badge', (report: PublishedReport) => `${badge(report)}\n`],
  ['junit', junitReport],
] as const;

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
