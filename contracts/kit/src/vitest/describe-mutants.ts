import { describe, expect, test } from 'vitest';
import type { ClauseResult, Contract, Tools } from '../contract.ts';
import type { Mutant } from '../mutant.ts';
import { runContract } from '../run-contract.ts';
import { inVirtualTime } from './virtual-time.ts';

/** The implementations that a contract is tested with. */
export interface Implementations<Implementation> {
  readonly correct: readonly (readonly [does: string, implementation: Implementation])[];
  readonly mutants: readonly Mutant<Implementation>[];
}

/**
 * Registers a vitest suite with the tests of {@link testMutants}, in virtual time, so that time-outs cost nothing.
 */
export function describeMutants<Subject, Implementation>(
  contract: Contract<Subject>,
  {
    harness,
    ...implementations
  }: Implementations<NoInfer<Implementation>> & {
    /** Makes the subject of the checks, which may wait only with the tools. */
    readonly harness: (implementation: Implementation, tools: Tools) => Subject;
  },
): void {
  describe(`the ${contract.name} contract`, () => {
    testMutants(contract, implementations, async (implementation, clauses) => {
      const run = (tools: Tools) => runContract({ ...contract, clauses }, harness(implementation, tools), tools);
      return (await inVirtualTime(run)).results;
    });
  });
}

/**
 * Registers tests of a contract in the current suite: correct implementations pass every clause; each mutant fails its clause,
 * with an action, an actual and an expected result; each clause is in the newest revision and has a mutant.
 *
 * @param check runs clauses against an implementation.
 * @param options `inspect` has further expectations on messages. `atOnce` starts the checks of all mutants together, because
 * vitest limits how many tests of a concurrent suite run at a time, and these mostly wait.
 */
export function testMutants<Subject, Implementation>(
  contract: Contract<Subject>,
  { correct, mutants }: Implementations<Implementation>,
  check: (implementation: Implementation, clauses: Contract<Subject>['clauses']) => Promise<readonly ClauseResult[]>,
  {
    inspect = () => {},
    atOnce = false,
  }: { readonly inspect?: (message: string) => void; readonly atOnce?: boolean } = {},
): void {
  const ids = contract.clauses.map(({ id }) => id);
  const runs = new Map<Mutant<Implementation>, Promise<readonly ClauseResult[]>>();

  function resultsOf(mutant: Mutant<Implementation>): Promise<readonly ClauseResult[]> {
    const [breaks, , implementation] = mutant;
    const broken = contract.clauses.filter(({ id }) => id === breaks);
    const results = runs.get(mutant) ?? check(implementation, broken);
    runs.set(mutant, results);
    return results;
  }

  // Not concurrent, because beside all mutants a correct implementation would respond too late.
  test.for(correct)('passes one that %s', { concurrent: false }, async ([, implementation]) => {
    const results = await check(implementation, contract.clauses);
    expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    expect(results.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  test.for(mutants)('%s catches one that %s', async (mutant) => {
    if (atOnce) mutants.forEach(resultsOf);
    const [result, ...others] = await resultsOf(mutant);
    expect(others).toEqual([]);
    if (result?.verdict !== 'failed')
      expect.fail(`${result?.verdict ?? 'no such clause'}: it has to fail ${mutant[0]}`);
    expect(result.message).toMatch(/^action: {3}.+\nactual: {3}.+\nexpected: .+$/);
    // The time-out of the clause itself does not say what hung.
    expect(result.message).not.toMatch(/^action: {3}checked /);
    inspect(result.message);
  });

  test('has every clause once, and in its newest revision', () => {
    expect(ids).toEqual([...new Set(ids)]);
    expect(contract.revisions?.at(-1)?.clauses ?? ids).toEqual(ids);
  });

  test('has a mutant for every clause', () => {
    expect(new Set(mutants.map(([breaks]) => breaks))).toEqual(new Set(ids));
  });
}
