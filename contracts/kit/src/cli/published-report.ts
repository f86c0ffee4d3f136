import { readFileSync } from 'node:fs';
import type { ContractReport } from '../run-contract.ts';
import type { commonOptions, Values } from './command.ts';
import { printableLines } from './messages.ts';
import type { Run } from './reports.ts';

/** A report to publish. It has no secret, and says how to repeat the run. */
export interface PublishedReport extends ContractReport {
  /** The package of the suite, with its version. */
  readonly suite: { readonly name: string; readonly version: string };
  /** As given by `--name` and `--implementation-version`. */
  readonly implementation: { readonly name: string; readonly version: string };
  /** The service or store, as a URL without secrets. */
  readonly subject: string;
  /** When the run began (RFC 3339). */
  readonly date: string;
  readonly seconds: number;
  /** Repeats the run. `…` stands for a secret. */
  readonly command: string;
  /** Whether a clause of the revision was not checked, or was left out by `--only`. */
  readonly partial: boolean;
}

type RunWithOptions = Run & Values<typeof commonOptions>;

/** The report of a run, to publish. */
export function publishedReport(report: ContractReport, run: RunWithOptions): PublishedReport {
  const { name, version } = JSON.parse(readFileSync(run.suite.manifest, 'utf8'));
  return {
    suite: { name, version },
    implementation: { name: run.name ?? 'unnamed', version: run['implementation-version'] ?? 'unknown' },
    subject: run.subject,
    date: run.startedAt.toISOString(),
    seconds: run.seconds,
    command: commandOf(run, `npx ${name}@${version}`),
    partial: report.notChecked > 0 || run.only !== undefined,
    ...report,
  };
}

/** A report as JSON, which cannot control a terminal. */
export function jsonReport(report: PublishedReport): string {
  return printableLines(JSON.stringify(report, undefined, 2));
}

/** A badge of a report, as JSON for https://shields.io/badges/endpoint-badge. */
export function badge(report: PublishedReport): string {
  const { contract, revision, passed, notPromised, failed, knownFailures, partial } = report;
  const counts = [
    `${passed} passed`,
    notPromised > 0 && `${notPromised} not promised`,
    failed > 0 && `${failed} failed`,
    knownFailures > 0 && `${knownFailures} known to fail`,
    partial && 'partial',
  ];
  return JSON.stringify({
    schemaVersion: 1,
    label: [contract, 'contract', revision].filter(Boolean).join(' '),
    message: counts.filter(Boolean).join(', '),
    color: failed > 0 ? 'red' : partial || knownFailures > 0 ? 'yellow' : 'brightgreen',
  });
}

/** The options that change what is checked, or what the report says. The others say where it goes. */
const repeated = ['only', 'except', 'revision', 'known-failures', 'name', 'implementation-version'] as const;

function commandOf(run: RunWithOptions, program: string): string {
  const { secret, options } = run.repeat;
  const given = [...Object.entries(options), ...repeated.map((option) => [option, run[option]] as const)];
  const args = given.flatMap(([option, value]) => (value === undefined ? [] : [`--${option}`, quoted(value)]));
  return [...(secret ? [`${secret}=…`] : []), program, ...args].join(' ');
}

/** An argument for a POSIX shell. */
function quoted(value: string): string {
  return /^[\w./:@,+…-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
