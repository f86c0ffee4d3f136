import { describe, expect, test } from 'vitest';
import type { Clause, Contract } from '../contract.ts';
import { realTime } from '../real-time.ts';
import { runClause } from '../run-contract.ts';

/** How a contract is run; every option may be left out. */
export interface DescribeContractOptions<Subject> {
  /** Ids of clauses that need not be checked, such as `PR-16`. Any other clause that is not checked fails. */
  readonly notChecked?: readonly string[];
  /** Selects clauses; all of them by default. */
  readonly clauses?: (clause: Clause<Subject>) => boolean;
  /** How long one clause may take, in milliseconds; 60,000 by default. */
  readonly timeoutMs?: number;
  /** Runs the clauses at the same time; one after the other by default. */
  readonly concurrent?: boolean;
}

/**
 * Registers a vitest suite with one test per clause, and reports every verdict: a clause that is not promised is skipped
 * with that note, one that was not checked fails unless `notChecked` names it, and one that failed says what was done,
 * what came of it and what was expected.
 *
 * @param harness what the clauses are checked against, or a function that is called for each clause and makes it.
 */
export function describeContract<Subject extends object>(
  contract: Contract<Subject>,
  harness: NoInfer<Subject> | (() => NoInfer<Subject> | Promise<NoInfer<Subject>>),
  {
    notChecked = [],
    clauses = () => true,
    timeoutMs = 60_000,
    concurrent = false,
  }: DescribeContractOptions<Subject> = {},
): void {
  const known = contract.clauses.map(({ id }) => id);
  const unknown = notChecked.filter((id) => !known.includes(id));
  if (unknown.length > 0)
    throw new RangeError(`notChecked: the ${contract.name} contract has no ${unknown.join(', ')}`);

  // The clause times out first: its message says more than the test's would. What is left is for making the harness.
  describe(`${contract.name} contract`, { concurrent, timeout: timeoutMs + 10_000 }, () => {
    for (const clause of contract.clauses.filter(clauses)) {
      test(`${clause.id} ${clause.title}`, async ({ skip }) => {
        const subject = typeof harness === 'function' ? await harness() : harness;
        const result = await runClause(clause, subject, realTime, timeoutMs);
        if (result.verdict === 'not-promised') skip('not promised');
        if (result.verdict === 'not-checked' && notChecked.includes(clause.id)) skip(`not checked: ${result.message}`);
        if (result.verdict === 'not-checked') expect.fail(`not checked: ${result.message}${readOn(contract, clause)}`);
        if (result.verdict === 'failed') expect.fail(`${result.message}${readOn(contract, clause)}`);
      });
    }
  });
}

function readOn({ documentation }: { readonly documentation?: string }, { id }: { readonly id: string }): string {
  return documentation === undefined ? '' : `\n\nRead on: ${id} in ${documentation}`;
}
