import { closeSync, openSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClauseResult, Contract, Tools } from '../contract.ts';
import { type RunOptions, runContract } from '../run-contract.ts';
import { realTime } from '../waiting.ts';
import { type Host, UsageError, type Values } from './command.ts';
import { errorMessage, printable } from './messages.ts';

/** Time for commands: a sleep keeps the process alive, because nothing else may. */
export const commandTime: Tools = { ...realTime, sleep: (ms) => sleep<void>(ms) };

/** Checks a contract and prints its verdicts. Resolves with whether no clause has failed. */
export type Check<Subject> = (subject: Subject, whyUnreachable?: RunOptions['whyUnreachable']) => Promise<boolean>;

/**
 * Prepares the check of a contract, with all that can be wrong in the options of a command.
 * @throws {UsageError} if there is no such clause, or the file cannot be written.
 */
export function prepareCheck<Subject>(
  whole: Contract<Subject>,
  { only, json }: Values,
  { stdout }: Host,
): Check<Subject> {
  const contract = { ...whole, clauses: selected(whole, only) };
  // Before the run, which may take a minute.
  if (json !== undefined) assertWritable(json);
  const print = (text: string) => stdout.write(`${printable(text)}\n`);
  return async (subject, whyUnreachable) => {
    const startedAt = Date.now();
    const results = await runContract(contract, subject, commandTime, {
      onResult: (result) => print(clauseText(result, contract.documentation)),
      ...(whyUnreachable && { whyUnreachable }),
    });
    const seconds = (Date.now() - startedAt) / 1_000;
    const count = (verdict: ClauseResult['verdict']) => results.filter((result) => result.verdict === verdict).length;
    const counts = {
      ...{ passed: count('passed'), 'not-promised': count('not-promised'), 'not-checked': count('not-checked') },
      ...{ failed: count('failed'), 'left-out': whole.clauses.length - results.length },
    };
    const shown = Object.entries(counts).filter(([verdict, number]) => verdict !== 'left-out' || number > 0);
    const sum = shown.map(([verdict, number]) => `${number} ${verdict.replace('-', ' ')}`).join(', ');
    print(`${sum}, in ${seconds.toFixed(1)} s`);
    const report = { contract: contract.name, date: new Date(startedAt), seconds, ...counts, results };
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, undefined, 2)}\n`);
    return counts.failed === 0;
  };
}

/** Creates the file if there is none. @throws {UsageError} if it cannot be written. */
function assertWritable(path: string): void {
  try {
    closeSync(openSync(path, 'a'));
  } catch (error) {
    throw new UsageError(`--json: ${errorMessage(error)}`);
  }
}

function selected<Subject>({ name, clauses }: Contract<Subject>, only: string | undefined) {
  const ids = only?.split(',').map((id) => id.trim()) ?? [];
  const known = clauses.map(({ id }) => id);
  const unknown = ids.filter((id) => !known.includes(id)).map((id) => `"${id}"`);
  if (unknown.length > 0)
    throw new UsageError(`--only: the ${name} contract has no clause ${unknown.join(', ')}; it has ${known.join(' ')}`);
  return only === undefined ? clauses : clauses.filter(({ id }) => ids.includes(id));
}

const marks = { passed: '✓', failed: '✗', 'not-promised': '–', 'not-checked': '?' } as const;

/** A clause in one line and, if it failed, what was done, what happened, what should have, and where to read on. */
function clauseText(result: ClauseResult, documentation: string | undefined): string {
  const { id, shows, title, verdict } = result;
  const line = `${marks[verdict]} ${id.padEnd(5)}  ${shows} ${title}`;
  if (verdict === 'passed') return line;
  if (verdict === 'not-promised') return `${line} (not promised)`;
  if (verdict === 'not-checked') return `${line} (not checked: ${result.message.replaceAll('\n', ' ')})`;
  const readOn = documentation ? `\nread on:  ${id} in ${documentation}` : '';
  return `${line}\n${result.message}${readOn}`.replaceAll('\n', '\n    ');
}
