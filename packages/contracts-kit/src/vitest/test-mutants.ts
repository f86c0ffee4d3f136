import { expect, test } from 'vitest';
import type { Contract } from '../contract.ts';
import type { Mutant } from '../mutant.ts';
import type { ClauseResult } from '../run-contract.ts';

/**
 * Registers one test per mutant, in the current suite: it fails the clause that it breaks and those it declares, passes
 * the others, and each message has an action, an actual and an expected result: none is that a clause ran out of time.
 *
 * @param run runs the contract, or the clause that the mutant breaks and maybe others, against a mutant; called once for
 * each, and only if one of its tests is selected.
 * @param options `inspect` has further expectations on a message; `atOnce` runs all at once, as far as `run` does: for a
 * concurrent suite whose runs mostly wait, and of which vitest itself would run few tests at a time.
 */
export function testMutants<Wrong extends Mutant>(
  mutants: readonly Wrong[],
  run: (mutant: Wrong) => Promise<readonly ClauseResult[]>,
  {
    inspect = () => {},
    atOnce = false,
  }: { readonly inspect?: (message: string) => void; readonly atOnce?: boolean } = {},
): void {
  const runs = new Map<Wrong, Promise<readonly ClauseResult[]>>();

  function resultsOf(mutant: Wrong): Promise<readonly ClauseResult[]> {
    const results = runs.get(mutant) ?? run(mutant);
    runs.set(mutant, results);
    return results;
  }

  const testAll = () =>
    test(`${mutants.length} of ${mutants.length} mutants are caught`, async () => {
      const all = await Promise.all(mutants.map(resultsOf));
      const caught = mutants.filter(({ breaks }, at) =>
        all[at]?.some(({ id, verdict }) => id === breaks && verdict === 'failed'),
      );
      expect(caught).toEqual(mutants);
    });

  // The first test starts them all.
  if (atOnce) testAll();
  test.each(mutants)('$breaks catches one that $does', async (mutant) => {
    const results = await resultsOf(mutant);
    const failures = results.filter((result) => result.verdict === 'failed');
    const ran = results.map(({ id }) => id);
    expect(ran).toContain(mutant.breaks);
    const expected = failingClauses(mutant);
    expect(new Set(failures.map(({ id }) => id))).toEqual(new Set(ran.filter((id) => expected.has(id))));
    // A clause that was not promised, or not checked, proves nothing.
    expect(results.filter(({ verdict }) => verdict === 'passed')).toHaveLength(results.length - failures.length);
    for (const { id, message } of failures) {
      expect(message).toMatch(threeParts);
      // A clause whose own time is up says nothing about what hung.
      if (id === mutant.breaks) expect(message).not.toMatch(/^action: {3}checked /);
      inspect(message);
    }
  });

  if (!atOnce) testAll();
}

/** Registers the tests of a contract's numbering, in the current suite: one clause a number, a mutant for every clause. */
export function testCompleteness<Subject>({ clauses }: Contract<Subject>, mutants: readonly Mutant[]): void {
  test('gives each number to one clause', () => {
    const ids = clauses.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  test('has a mutant for every clause, and no two alike', () => {
    expect(new Set(mutants.map(({ breaks }) => breaks))).toEqual(new Set(clauses.map(({ id }) => id)));
    expect(new Set(mutants.map(({ does }) => does)).size).toBe(mutants.length);
  });
}

/** The clauses that a mutant may, and must, fail. */
export function failingClauses({ breaks, alsoBreaks }: Mutant): Set<string> {
  return new Set([breaks, ...(alsoBreaks?.clauses ?? [])]);
}

const threeParts = /^action: {3}.+\nactual: {3}.+\nexpected: .+$/;
