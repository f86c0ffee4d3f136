import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Clause, Contract } from '../contract.ts';
import { type KnownFailures, unknownFailures, withKnownFailure } from '../known-failures.ts';
import { realTime } from '../real-time.ts';
import { atRevision } from '../revisions.ts';
import { runClause } from '../run-contract.ts';

/** How a contract is run; every option may be left out. */
export interface DescribeContractOptions<Subject> {
  /** The revision that is kept, such as `2026-12`; the newest by default. Clauses of newer ones are listed as to do. */
  readonly revision?: string;
  /** The reason for each clause that is known to fail. Its test is skipped with it, and fails once the clause is kept. */
  readonly knownFailures?: KnownFailures;
  /** Ids of clauses that need not be checked, such as `PR-16`. Any other clause that is not checked fails. */
  readonly notChecked?: readonly string[];
  /**
   * Selects clauses, for a run beside that of the whole contract: on another server, say. The others are left out and not
   * reported. All of them by default.
   */
  readonly clauses?: (clause: Clause<Subject>) => boolean;
  /** Clauses that another test file in the same directory runs. Each fails if that file runs no contract. */
  readonly elsewhere?: { readonly file: string; readonly clauses: (clause: Clause<Subject>) => boolean };
  /** How long one clause may take, in milliseconds; 60,000 by default. */
  readonly timeoutMs?: number;
  /** Runs all clauses, or those that it selects, at the same time, after the others; one after the other by default. */
  readonly concurrent?: boolean | ((clause: Clause<Subject>) => boolean);
}

/**
 * Registers a vitest suite for each contract, with one test per clause, and reports every verdict: a clause that is not promised is skipped
 * with that note, one that was not checked fails unless `notChecked` names it, and one that failed says what was done,
 * what came of it and what was expected.
 *
 * @param harness what the clauses are checked against, or a function that is called for each clause and makes it.
 */
export function describeContract<Subject extends object>(
  contract: Contract<Subject> | readonly Contract<Subject>[],
  harness: NoInfer<Subject> | (() => NoInfer<Subject> | Promise<NoInfer<Subject>>),
  options: DescribeContractOptions<Subject> = {},
): void {
  const contracts = [contract].flat().map((each) => atRevision(each, options.revision));
  const ids = contracts.flatMap(({ clauses }) => clauses.map(({ id }) => id));
  const strangers = {
    notChecked: options.notChecked?.filter((id) => !ids.includes(id)) ?? [],
    knownFailures: unknownFailures(options.knownFailures ?? {}, ids),
  };
  for (const [option, unknown] of Object.entries(strangers))
    if (unknown.length > 0)
      throw new RangeError(
        `${option}: the ${contracts.map(({ name }) => name).join(', ')} contract has no ${unknown.join(', ')}`,
      );
  for (const each of contracts) describeClauses(each, harness, options);
}

function describeClauses<Subject extends object>(
  contract: Contract<Subject>,
  harness: Subject | (() => Subject | Promise<Subject>),
  {
    notChecked = [],
    knownFailures = {},
    clauses = () => true,
    elsewhere,
    timeoutMs = 60_000,
    concurrent = false,
  }: DescribeContractOptions<Subject>,
): void {
  const isConcurrent = typeof concurrent === 'function' ? concurrent : () => concurrent;
  const selected = contract.clauses.filter(clauses);
  if (selected.length === 0) return;
  const inOrder = [...selected.filter((clause) => !isConcurrent(clause)), ...selected.filter(isConcurrent)];

  const at = contract.revision ? `, revision ${contract.revision}` : '';
  // The clause times out first: its message says more than the test's would. What is left is for making the harness.
  describe(`${contract.name} contract${at}`, { timeout: timeoutMs + 10_000 }, () => {
    for (const clause of inOrder) {
      test(`${clause.id} ${clause.title}`, { concurrent: isConcurrent(clause) }, async ({ skip, task }) => {
        if (elsewhere?.clauses(clause)) {
          if (!(await runsContract(join(task.file.filepath, '..', elsewhere.file))))
            expect.fail(`${elsewhere.file}, which is to check this clause, runs no contract`);
          skip(`in ${elsewhere.file}`);
        }
        const subject = typeof harness === 'function' ? await harness() : harness;
        const result = withKnownFailure(await runClause(clause, subject, realTime, timeoutMs), knownFailures);
        if (result.verdict === 'known-failure') skip(`known failure: ${knownFailures[clause.id]}`);
        if (result.verdict === 'not-promised') skip('not promised');
        if (result.verdict === 'not-checked' && notChecked.includes(clause.id)) skip(`not checked: ${result.message}`);
        if (result.verdict === 'not-checked') expect.fail(`not checked: ${result.message}${readOn(contract, clause)}`);
        if (result.verdict === 'failed') expect.fail(`${result.message}${readOn(contract, clause)}`);
      });
    }
    for (const { id, title } of contract.newer ?? []) test.todo(`${id} ${title} (of a newer revision)`);
  });
}

/** Whether a file calls describeContract. It is parsed: what a comment or a text says calls nothing. */
async function runsContract(testFile: string): Promise<boolean> {
  if (!existsSync(testFile)) return false;
  // Only here: it loads vite.
  const { parseAst } = await import('vitest/node');
  return callsIt(parseAst(readFileSync(testFile, 'utf8'), { lang: 'ts' }));
}

function callsIt(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { type, callee } = node as { readonly type?: string; readonly callee?: { readonly name?: string } };
  if (type === 'CallExpression' && callee?.name === describeContract.name) return true;
  return Object.values(node).some(callsIt);
}

function readOn({ documentation }: { readonly documentation?: string }, { id }: { readonly id: string }): string {
  return documentation === undefined ? '' : `\n\nRead on: ${id} in ${documentation}`;
}
