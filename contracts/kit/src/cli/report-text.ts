import type { ClauseResult } from '../clause-result.ts';
import type { ContractReport } from '../run-contract.ts';
import { printable } from './printable.ts';
import type { Stopped } from './stop-when-unreachable.ts';

/** One clause for a person: mark, id and title; below a failed one the action, the actual and the expected result. */
export function clauseText(result: ClauseResult): string {
  const line = `${marks[result.verdict]} ${result.id.padEnd(5)}  ${result.title}`;
  if (result.verdict === 'passed') return line;
  if (result.verdict === 'not-promised') return `${line} (not promised)`;
  if (result.verdict === 'not-checked') return `${line} (not checked: ${printable(result.message)})`;
  if (result.verdict === 'known-failure')
    return `${line} (known failure: ${printable(result.message.split('\n')[0] ?? '')})`;
  const message = result.message.split('\n').map((part) => `    ${printable(part)}`);
  return [line, ...message].join('\n');
}

/** The last line of a report, preceded by why the run stopped early, if it did. */
export function summaryText(
  { passed, notPromised, notChecked, failed, knownFailures, revision, newer }: ContractReport,
  seconds: number,
  stopped?: Stopped,
): string {
  const known = knownFailures > 0 ? `, ${knownFailures} known to fail` : '';
  const counts = `${passed} passed, ${notPromised} not promised, ${notChecked} not checked, ${failed} failed${known}, in ${seconds.toFixed(1)} s`;
  const added = newer.map(({ id, title }) => `newer revisions add ${id}  ${title}`);
  const lines = [
    ...(stopped ? [printable(stopped.message)] : []),
    ...added,
    revision ? `${counts} (revision ${revision})` : counts,
  ];
  return lines.join('\n');
}

const marks: Readonly<Record<ClauseResult['verdict'], string>> = {
  passed: '✓',
  failed: '✗',
  'not-promised': '–',
  'not-checked': '?',
  'known-failure': '!',
};
