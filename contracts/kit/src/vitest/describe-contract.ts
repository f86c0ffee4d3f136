import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Clause, Contract } from '../contract.ts';
import { CLAUSE_TIMEOUT_MS, runClause } from '../run-contract.ts';
import { realTime } from '../waiting.ts';

/** Options of {@link describeContract}. */
export interface DescribeContractOptions<Subject> {
  /**
   * Ids of clauses that are not checked, such as `PR-16`. Any other clause that is not checked fails, and so does one of these once
   * it passes.
   */
  readonly notChecked?: readonly string[];
  /**
   * Selects the clauses of an additional run, for example on another server. The others are left out and not reported. All
   * clauses by default.
   */
  readonly clauses?: (clause: Clause<Subject>) => boolean;
  /**
   * Clauses that another test file in the same directory runs. Each fails if that file runs no contract. Which clauses that file
   * selects is not seen: it must select them by the same function.
   */
  readonly elsewhere?: { readonly file: string; readonly clauses: (clause: Clause<Subject>) => boolean };
  /** Runs all clauses concurrently; one after the other by default. */
  readonly concurrent?: boolean;
}

/**
 * Registers a vitest suite for each contract, with a test for each clause. A clause that is not promised is skipped. One that was
 * not checked fails, unless `notChecked` names it.
 *
 * @param harness the subject of the checks, or a function that makes one for each clause.
 */
export function describeContract<Subject extends object>(
  contract: Contract<Subject> | readonly Contract<Subject>[],
  harness: NoInfer<Subject> | (() => NoInfer<Subject> | Promise<NoInfer<Subject>>),
  { notChecked = [], clauses = () => true, elsewhere, concurrent = false }: DescribeContractOptions<Subject> = {},
): void {
  const contracts = [contract].flat();
  const ids = contracts.flatMap((each) => each.clauses.map(({ id }) => id));
  const unknown = notChecked.filter((id) => !ids.includes(id));
  if (unknown.length > 0) throw new Error(`notChecked: there is no clause ${unknown.join(', ')}`);
  for (const { name, documentation, clauses: all } of contracts) {
    const selected = all.filter(clauses);
    if (selected.length === 0) continue;
    // The clause times out first, because its message says more. The rest of the time is for making the harness.
    describe(`${name} contract`, { timeout: CLAUSE_TIMEOUT_MS + 10_000, concurrent }, () => {
      test.for(selected)('$id $shows $title', async (clause, { skip, task }) => {
        if (elsewhere?.clauses(clause)) {
          // At the beginning of a line, so that one in a comment does not count.
          if (!/^\s*describeContract\(/m.test(readFileSync(join(task.file.filepath, '..', elsewhere.file), 'utf8')))
            expect.fail(`${elsewhere.file}, which is to check this clause, runs no contract`);
          skip(`in ${elsewhere.file}`);
        }
        const subject = typeof harness === 'function' ? await harness() : harness;
        const result = await runClause(clause, subject, realTime);
        const isExcused = notChecked.includes(clause.id);
        if (result.verdict === 'passed' && isExcused) expect.fail('it passes: remove it from notChecked');
        if (result.verdict === 'passed') return;
        if (result.verdict === 'not-promised') return skip('not promised');
        const message = result.verdict === 'failed' ? result.message : `not checked: ${result.message}`;
        if (result.verdict === 'not-checked' && isExcused) return skip(message);
        expect.fail(documentation ? `${message}\n\nRead on: ${clause.id} in ${documentation}` : message);
      });
    });
  }
}
