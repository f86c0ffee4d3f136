import type { ClauseResult } from '../contract.ts';
import type { ContractReport } from '../run-contract.ts';
import { printable, printableLines } from './messages.ts';

/** What a report says besides the verdicts. */
export interface Run {
  /** The program that checked. */
  readonly program: string;
  /** What was checked, without secrets: an address, an engine. */
  readonly subject: string;
  readonly startedAt: Date;
  readonly seconds: number;
}

/** One clause for a person: mark, id and title; below a failed one the action, the actual and the expected result. */
export function clauseText(result: ClauseResult): string {
  const line = `${marks[result.verdict]} ${result.id.padEnd(5)}  ${result.title}`;
  if (result.verdict === 'passed') return line;
  if (result.verdict === 'failed') return printableLines(`${line}\n${result.message}`).replaceAll('\n', '\n    ');
  const [first = ''] = inWords(result).split('\n');
  return `${line} (${printable(first)})`;
}

/** The last line of a report, preceded by why the run stopped early, if it did. */
export function summaryText(report: ContractReport, { seconds }: Pick<Run, 'seconds'>): string {
  const at = report.revision ? ` (revision ${report.revision})` : '';
  return [
    ...(report.stopped ? [printable(report.stopped.message)] : []),
    ...report.newer.map(({ id, title }) => `newer revisions add ${id}  ${title}`),
    `${counts(report)}, in ${seconds.toFixed(1)} s${at}`,
  ].join('\n');
}

/**
 * A report as JUnit XML, in the form that continuous integration reads (https://github.com/testmoapp/junitxml): a test
 * case for each clause; one that neither passed nor failed is skipped, with the reason.
 */
export function junitReport({ contract, results, passed, failed }: ContractReport, run: Run): string {
  const skipped = results.length - passed - failed;
  const totals = `tests="${results.length}" failures="${failed}" errors="0" skipped="${skipped}" time="${run.seconds.toFixed(3)}"`;
  const testCases = results.map((result) => {
    const attributes = `classname="${markup(contract)}" name="${markup(`${result.id} ${result.title}`)}"`;
    return `    <testcase ${attributes}>${junitOutcome(result)}</testcase>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${markup(run.program)}" ${totals}>
  <testsuite name="${markup(contract)}" ${totals} timestamp="${run.startedAt.toISOString()}">
    <properties><property name="subject" value="${markup(run.subject)}"/></properties>
${testCases.join('')}  </testsuite>
</testsuites>
`;
}

function junitOutcome(result: ClauseResult): string {
  if (result.verdict === 'passed') return '';
  if (result.verdict !== 'failed') return `<skipped message="${markup(inWords(result))}"/>`;
  const [first = ''] = result.message.split('\n');
  return `<failure message="${markup(first)}">${markup(result.message)}</failure>`;
}

/** A report as a page that needs no other file, no script and no network: to attach, to print, to look at. */
export function htmlReport(report: ContractReport, { subject, startedAt, seconds }: Run): string {
  const title = `${report.contract} contract: ${counts(report)}`;
  const rows = report.results.map((result) => {
    const cells = [result.id, result.title, inWords(result)].map((text) => `<td>${markup(text)}</td>`);
    return `<tr>${cells.join('')}</tr>\n`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${markup(title)}</title>
<style>td { vertical-align: top; padding: .3rem; white-space: pre-wrap; overflow-wrap: anywhere }</style>
<h1>${markup(title)}</h1>
<p>${markup(subject)}, ${startedAt.toUTCString()}, in ${seconds.toFixed(1)} s, revision ${markup(report.revision ?? 'none')}</p>
<table>
<tr><th>Clause</th><th>Promise</th><th>Verdict</th></tr>
${rows.join('')}</table>
</html>
`;
}

function counts({ passed, notPromised, notChecked, failed, knownFailures }: ContractReport): string {
  const known = knownFailures > 0 ? `, ${knownFailures} known to fail` : '';
  return `${passed} passed, ${notPromised} not promised, ${notChecked} not checked, ${failed} failed${known}`;
}

/** The verdict, with its message if it has one. */
function inWords(result: ClauseResult): string {
  const verdict = result.verdict.replace('-', ' ');
  return 'message' in result ? `${verdict}: ${result.message}` : verdict;
}

const marks = { passed: '✓', failed: '✗', 'not-promised': '–', 'not-checked': '?', 'known-failure': '!' } as const;

/** A text for XML or HTML, between tags or in a quoted attribute. */
function markup(text: string): string {
  return printableLines(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
