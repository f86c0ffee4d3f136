import type { ClauseResult } from '../contract.ts';
import type { ContractReport } from '../run-contract.ts';
import type { Command } from './command.ts';
import { printable, printableLines } from './messages.ts';

/** The run that a report describes. */
export interface Run {
  readonly suite: Pick<Command<never>, 'name' | 'manifest'>;
  /** The service or store that was checked, as a URL without secrets. */
  readonly subject: string;
  /** The command's own options, without their secrets, and the setting that has a secret: `API_TOKEN`. */
  readonly repeat: { readonly options: Readonly<Record<string, string | undefined>>; readonly secret?: string };
  readonly startedAt: Date;
  readonly seconds: number;
}

/** A clause for the terminal: mark, id and title. If it failed, the action, the actual and the expected result follow. */
export function clauseText(result: ClauseResult): string {
  const line = `${marks[result.verdict]} ${result.id.padEnd(5)}  ${result.title}`;
  if (result.verdict === 'passed') return line;
  if (result.verdict === 'failed') return printableLines(`${line}\n${result.message}`).replaceAll('\n', '\n    ');
  const [first = ''] = verdictText(result).split('\n');
  return `${line} (${printable(first)})`;
}

/** The counts of the verdicts, after the reason why the run stopped early and the clauses that newer revisions add. */
export function summaryText(report: ContractReport, { seconds }: Pick<Run, 'seconds'>): string {
  const at = report.revision ? ` (revision ${report.revision})` : '';
  return [
    ...(report.stopped ? [printable(report.stopped.message)] : []),
    ...report.newer.map(({ id, title }) => `newer revisions add ${id}  ${title}`),
    `${counts(report)}, in ${seconds.toFixed(1)} s${at}`,
  ].join('\n');
}

/**
 * A report as JUnit XML (https://github.com/testmoapp/junitxml) with a test case for each clause. A clause that neither passed
 * nor failed is skipped, with the reason.
 */
export function junitReport({ contract, results, passed, failed }: ContractReport, run: Run): string {
  const skipped = results.length - passed - failed;
  const totals = `tests="${results.length}" failures="${failed}" errors="0" skipped="${skipped}" time="${run.seconds.toFixed(3)}"`;
  const testCases = results.map((result) => {
    const attributes = `classname="${escaped(contract)}" name="${escaped(`${result.id} ${result.title}`)}"`;
    return `    <testcase ${attributes}>${junitOutcome(result)}</testcase>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${escaped(run.suite.name)}" ${totals}>
  <testsuite name="${escaped(contract)}" ${totals} timestamp="${run.startedAt.toISOString()}">
    <properties><property name="subject" value="${escaped(run.subject)}"/></properties>
${testCases.join('')}  </testsuite>
</testsuites>
`;
}

function junitOutcome(result: ClauseResult): string {
  if (result.verdict === 'passed') return '';
  if (result.verdict !== 'failed') return `<skipped message="${escaped(verdictText(result))}"/>`;
  const [first = ''] = result.message.split('\n');
  return `<failure message="${escaped(first)}">${escaped(result.message)}</failure>`;
}

function counts({ passed, notPromised, notChecked, failed, knownFailures }: ContractReport): string {
  const known = knownFailures > 0 ? `, ${knownFailures} known to fail` : '';
  return `${passed} passed, ${notPromised} not promised, ${notChecked} not checked, ${failed} failed${known}`;
}

/** The verdict, with its message if it has one. */
function verdictText(result: ClauseResult): string {
  const verdict = result.verdict.replace('-', ' ');
  return 'message' in result ? `${verdict}: ${result.message}` : verdict;
}

const marks = { passed: '✓', failed: '✗', 'not-promised': '–', 'not-checked': '?', 'known-failure': '!' } as const;

/** A text for XML, between tags or in a quoted attribute. */
function escaped(text: string): string {
  return printableLines(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
