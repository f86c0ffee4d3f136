import { describe, expect, test } from 'vitest';
import type { ClauseResult, Contract, Tools } from '../contract.ts';
import { listMutants } from '../mutant.ts';
import { runContract } from '../run-contract.ts';
import { inVirtualTime } from './virtual-time.ts';

/**
 * Registers a vitest suite with the tests of {@link testMutants}, in virtual time, so that time-outs cost nothing.
 *
 * @param correct correct implementations by what they do. A clause that demands too much would fail one of them.
 * @param harness makes the subject of the checks, which may wait only with the tools.
 */
export function describeMutants<Subject, Implementation>(
  contract: Contract<Subject, Implementation>,
  correct: Readonly<Record<string, NoInfer<Implementation>>>,
  harness: (implementation: NoInfer<Implementation>, tools: Tools) => Subject,
): void {
  describe(`the ${contract.name} contract`, () => {
    testMutants(contract, correct, async (implementation, clauses) => {
      const run = (tools: Tools) => runContract({ ...contract, clauses }, harness(implementation, tools), tools);
      return inVirtualTime(run);
    });
  });
}

/**
 * Registers tests of a contract in the current suite: correct implementations pass every clause; each mutant fails its clause,
 * with an action, an actual and an expected result; each clause has a mutant.
 *
 * @param check runs clauses against an implementation.
 * @param inspect has further expectations on messages.
 */
export function testMutants<Subject, Implementation>(
  contract: Contract<Subject, Implementation>,
  correct: Readonly<Record<string, NoInfer<Implementation>>>,
  check: (implementation: Implementation, clauses: Contract<Subject>['clauses']) => Promise<readonly ClauseResult[]>,
  inspect: (message: string) => void = () => {},
): void {
  const ids = contract.clauses.map(({ id }) => id);
  const mutants = listMutants(contract);

  // Not concurrent, because beside all mutants a correct implementation would respond too late.
  test.for(Object.entries(correct))('passes one that %s', { concurrent: false }, async ([, implementation]) => {
    const results = await check(implementation, contract.clauses);
    expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    expect(results.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  test.for(mutants)('%s catches one that %s', async ([breaks, , implementation]) => {
    const broken = contract.clauses.filter(({ id }) => id === breaks);
    const [result, ...others] = await check(implementation, broken);
    expect(others).toEqual([]);
    if (result?.verdict !== 'failed')
      expect.fail(`${breaks} did not fail (${result?.verdict}): extend its check, or change the mutant`);
    expect(result.message).toMatch(/^action: {3}.+\nactual: {3}.+\nexpected: .+$/);
    // The time-out of the clause itself does not say what hung.
    expect(result.message).not.toMatch(/^action: {3}checked /);
    inspect(result.message);
  });

  test('has every clause once, with what it shows and a mutant', () => {
    expect(ids).toEqual([...new Set(ids)]);
    expect(contract.clauses.filter(({ shows }) => !SHOWS.test(shows)).map(({ id }) => id)).toEqual([]);
    expect(ids.filter((id) => !mutants.some(([breaks]) => breaks === id))).toEqual([]);
  });
}

/** Promises, each with a fault or without one, and one blank between. */
const SHOWS = /^P\d+(\/F\d+)?( P\d+(\/F\d+)?)*$/;
