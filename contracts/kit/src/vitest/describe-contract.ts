import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Clause, Contract } from '../contract.ts';
import { type KnownFailures, withKnownFailure } from '../known-failures.ts';
import { CLAUSE_TIMEOUT_MS, runClause } from '../run-contract.ts';
import { assertClauses, atRevision } from '../select-clauses.ts';
import { realTime } from '../waiting.ts';

/** Options of {@link describeContract}. */
export interface DescribeContractOptions<Subject> {
  /** The revision to check, such as `2026-12`; the newest by default. Clauses of newer revisions are listed as todo. */
  readonly revision?: string;
  /** The clauses that are known to fail, with reasons. Their tests are skipped, and fail once the clause passes. */
  readonly knownFailures?: KnownFailures;
  /**
   * Ids of clauses that are not checked, such as `PR-16`, none of them a known failure. Any other clause that is not checked
   * fails, and so does one of these once it passes.
   */
  readonly notChecked?: readonly string[];
  /**
   * Selects the clauses of an additional run, for example on another server. The others are left out and not reported. All
   * clauses by default.
   */
  readonly clauses?: (clause: Clause<Subject>) => boolean;
  /** Clauses that another test file in the same directory runs. Each fails if that file runs no contract. */
  readonly elsewhere?: { readonly file: string; readonly clauses: (clause: Clause<Subject>) => boolean };
  /** Runs all clauses, or those that it selects, concurrently after the others; sequentially by default. */
  readonly concurrent?: boolean | ((clause: Clause<Subject>) => boolean);
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
  options: DescribeContractOptions<Subject> = {},
): void {
  const contracts = atRevision([contract].flat(), options.revision);
  const name = contracts.map((each) => each.name).join(', ');
  const all = { name, clauses: contracts.flatMap(({ clauses }) => clauses) };
  assertClauses(all, 'notChecked', options.notChecked ?? []);
  assertClauses(all, 'knownFailures', Object.keys(options.knownFailures ?? {}));
  const both = options.notChecked?.find((id) => options.knownFailures?.[id] !== undefined);
  if (both) throw new Error(`${both} is in notChecked and in knownFailures: remove it from one of them`);
  for (const each of contracts) describeClauses(each, harness, options);
}

function describeClauses<Subject extends object>(
  contract: Contract<Subject>,
  harness: Subject | (() => Subject | Promise<Subject>),
  options: DescribeContractOptions<Subject>,
): void {
  const { notChecked = [], knownFailures = {}, clauses = () => true, elsewhere, concurrent = false } = options;
  const isConcurrent = typeof concurrent === 'function' ? concurrent : () => concurrent;
  const selected = contract.clauses.filter(clauses);
  if (selected.length === 0) return;
  const inOrder = selected.toSorted((a, b) => Number(isConcurrent(a)) - Number(isConcurrent(b)));
  const at = contract.revision ? `, revision ${contract.revision}` : '';
  // The clause times out first, because its message says more. The rest of the time is for making the harness.
  describe(`${contract.name} contract${at}`, { timeout: CLAUSE_TIMEOUT_MS + 10_000 }, () => {
    for (const clause of inOrder) {
      test(`${clause.id} ${clause.title}`, { concurrent: isConcurrent(clause) }, async ({ skip, task }) => {
        if (elsewhere?.clauses(clause)) {
          if (!runsContract(join(task.file.filepath, '..', elsewhere.file)))
            expect.fail(`${elsewhere.file}, which is to check this clause, runs no contract`);
          skip(`in ${elsewhere.file}`);
        }
        const subject = typeof harness === 'function' ? await harness() : harness;
        const result = withKnownFailure(await runClause(clause, subject, realTime), knownFailures);
        const isExcused = notChecked.includes(clause.id);
        if (result.verdict === 'passed' && isExcused) expect.fail('it passes: remove it from notChecked');
        if (result.verdict === 'passed') return;
        if (result.verdict === 'not-promised') return skip('not promised');
        if (result.verdict === 'known-failure') return skip(`known failure: ${knownFailures[clause.id]}`);
        const message = result.verdict === 'failed' ? result.message : `not checked: ${result.message}`;
        if (result.verdict === 'not-checked' && isExcused) return skip(message);
        expect.fail(
          contract.documentation ? `${message}\n\nRead on: ${clause.id} in ${contract.documentation}` : message,
        );
      });
    }
    for (const { id, title } of contract.newer ?? []) test.todo(`${id} ${title} (of a newer revision)`);
  });
}

/** Whether a line of a file begins with a call of describeContract, so that one in a comment does not count. */
function runsContract(testFile: string): boolean {
  return existsSync(testFile) && /^\s*describeContract\(/m.test(readFileSync(testFile, 'utf8'));
}
