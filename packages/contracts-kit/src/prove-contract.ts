import { describe, expect, test } from 'vitest';
import { type ClauseResult, type Contract, runContract, type Tools } from './contract.ts';
import type { Mutant } from './mutant.ts';
import { inVirtualTime } from './virtual-time.ts';

/** Implementations of a port, correct and broken ones, that its contract is proved with. */
interface Zoo<Subject, Kept extends { readonly does: string }, Broken extends Kept & Mutant> {
  readonly correct: readonly Kept[];
  readonly broken: readonly Broken[];
  /** Makes what the contract is run against. */
  readonly subjectOf: (implementation: Kept, tools: Tools) => Subject;
}

/**
 * Proves that a contract lets correct implementations pass and catches every broken one, with the clause that it breaks
 * and with no other that it could have kept.
 */
export function proveContract<Subject, Kept extends { readonly does: string }, Broken extends Kept & Mutant>(
  contract: Contract<Subject>,
  { correct, broken, subjectOf }: Zoo<Subject, Kept, Broken>,
): void {
  const checks = new Map<Kept, Promise<readonly ClauseResult[]>>();

  function check(implementation: Kept): Promise<readonly ClauseResult[]> {
    const run = async (tools: Tools) => (await runContract(contract, subjectOf(implementation, tools), tools)).results;
    const results = checks.get(implementation) ?? inVirtualTime(run);
    checks.set(implementation, results);
    return results;
  }

  describe(`the ${contract.name} contract`, () => {
    test.each(correct)('is kept by one that $does', async (implementation) => {
      const kept = contract.clauses.map(({ id, title }) => ({ id, title, verdict: 'passed' }));
      expect(await check(implementation)).toEqual(kept);
    });

    test.each(broken)('$breaks catches one that $does', async (mutant) => {
      const results = await check(mutant);
      const caughtBy = results.filter(({ verdict }) => verdict === 'failed');
      const expected = [mutant.breaks, ...(mutant.alsoBreaks?.clauses ?? [])];
      expect(new Set(caughtBy.map(({ id }) => id))).toEqual(new Set(expected));
      // A clause that was not run has let nothing pass.
      expect(results.filter(({ verdict }) => verdict === 'passed')).toHaveLength(results.length - caughtBy.length);
      // Whoever reads it learns what was done, what came of it and what was promised.
      for (const result of caughtBy) expect(result).toHaveProperty('message', expect.stringMatching(threeLines));
    });

    test('gives each number to one clause', () => {
      const ids = contract.clauses.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)]);
    });

    test('has a mutant for every clause, and no two alike', () => {
      expect(new Set(broken.map(({ breaks }) => breaks))).toEqual(new Set(contract.clauses.map(({ id }) => id)));
      expect(new Set(broken.map(({ does }) => does)).size).toBe(broken.length);
    });

    test(`${broken.length} of ${broken.length} caught`, async () => {
      const caught: Broken[] = [];
      for (const mutant of broken) {
        const results = await check(mutant);
        if (results.some(({ id, verdict }) => id === mutant.breaks && verdict === 'failed')) caught.push(mutant);
      }
      expect(caught).toEqual(broken);
    });
  });
}

const threeLines = /^action: {3}.+\nactual: {3}.+\nexpected: .+$/;
