import { describe, expect, test } from 'vitest';
import { type ClauseResult, type Contract, runContract, type Tools } from '../../src/contract/index.ts';
import type { Member } from './member.ts';
import { inVirtualTime } from './virtual-time.ts';

/** What a contract is proved with. */
interface Zoo<Subject, M extends Member> {
  readonly members: readonly M[];
  /** Makes what the contract is run against: a member or, without one, the correct model that all of them spoil. */
  readonly subjectOf: (member: M | undefined, tools: Tools) => Subject;
}

/**
 * Proves that a contract lets a correct implementation pass and catches every broken one, with the clause that it breaks
 * and with no other that it could have kept.
 */
export function proveContract<Subject, M extends Member>(contract: Contract<Subject>, zoo: Zoo<Subject, M>): void {
  const { members, subjectOf } = zoo;
  const visits = new Map<M | undefined, Promise<readonly ClauseResult[]>>();

  function visit(member?: M): Promise<readonly ClauseResult[]> {
    const run = async (tools: Tools) => (await runContract(contract, subjectOf(member, tools), tools)).results;
    const results = visits.get(member) ?? inVirtualTime(run);
    visits.set(member, results);
    return results;
  }

  describe(`the ${contract.name} contract`, () => {
    test('is kept by the model, clause by clause', async () => {
      const results = await visit();
      expect(results).toEqual(contract.clauses.map(({ id, title }) => ({ id, title, verdict: 'kept' })));
    });

    test.each(members)('$breaks catches one that $does', async (member) => {
      const broken = (await visit(member)).filter(({ verdict }) => verdict === 'broken');
      const expected = [member.breaks, ...(member.alsoBreaks?.clauses ?? [])];
      expect(new Set(broken.map(({ id }) => id))).toEqual(new Set(expected));
      // Whoever reads it learns what was done, what came of it and what was promised.
      for (const result of broken) expect(result).toHaveProperty('message', expect.stringMatching(threeLines));
    });

    test('has a member for every clause, and no two alike', () => {
      expect(new Set(members.map(({ breaks }) => breaks))).toEqual(new Set(contract.clauses.map(({ id }) => id)));
      expect(new Set(members.map(({ does }) => does)).size).toBe(members.length);
    });

    test(`${members.length} of ${members.length} are caught`, { timeout: 60_000 }, async () => {
      const caught = [];
      for (const member of members) {
        const clause = (await visit(member)).find(({ id }) => id === member.breaks);
        if (clause?.verdict === 'broken') caught.push(member.does);
      }
      expect(caught).toEqual(members.map(({ does }) => does));
    });
  });
}

const threeLines = /^did: {6}.+\ncame: {5}.+\npromised: .+$/;
