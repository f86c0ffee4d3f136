import type { ClauseResult, ContractReport } from '@plant-store/contracts-kit';
import type { Stopped } from './stop-when-unreachable.ts';

/** One clause for a person: its mark, id and title; below it what was done, what came and what was promised. */
export function clauseText(result: ClauseResult): string {
  const line = `${marks[result.verdict]} ${result.id.padEnd(5)}  ${result.title}`;
  if (result.verdict === 'passed') return line;
  if (result.verdict === 'not-promised') return `${line} (not promised)`;
  if (result.verdict === 'not-checked') return `${line} (not checked: ${result.message})`;
  const message = result.message.split('\n').map((part) => `    ${visible(part)}`);
  return [line, ...message].join('\n');
}

/** The last line of a report; before it, why the run came to nothing before its end, if it did. */
export function summaryText(
  { passed, notPromised, notChecked, failed }: ContractReport,
  seconds: number,
  stopped?: Stopped,
): string {
  const counts = `${passed} passed, ${notPromised} not promised, ${notChecked} not checked, ${failed} failed, in ${seconds.toFixed(1)} s`;
  return stopped ? `${stopped.message}\n${counts}` : counts;
}

const marks: Readonly<Record<ClauseResult['verdict'], string>> = {
  passed: '✓',
  failed: '✗',
  'not-promised': '–',
  'not-checked': '?',
};

/** What a service answered must not steer the terminal that it is shown on. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
