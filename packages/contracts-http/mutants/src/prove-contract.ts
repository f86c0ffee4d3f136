import type { ClauseResult } from '@plant-store/contracts-kit';
import { describe, expect, test } from 'vitest';
import type { Mutant } from './mutant.ts';
import { token } from './mutated-service.ts';
import { visit } from './run-mutant.ts';

/**
 * Proves that the contract catches every one of these services, with the clause that it breaks and no other.
 *
 * @param spared clauses that are not checked on mutants that do not name them: they are about something else.
 */
export function proveContract(mutants: readonly Mutant[], spared: readonly string[] = []): void {
  const visits = new Map<Mutant, Promise<readonly ClauseResult[]>>();

  // On demand, so that whoever filters the tests waits for those mutants alone.
  function visited(mutant: Mutant): Promise<readonly ClauseResult[]> {
    const results =
      visits.get(mutant) ?? visit(mutant.mutation, (id) => !spared.includes(id) || clausesOf(mutant).has(id));
    visits.set(mutant, results);
    return results;
  }

  async function brokenBy(mutant: Mutant): Promise<readonly ClauseResult[]> {
    return (await visited(mutant)).filter(({ verdict }) => verdict === 'failed');
  }

  describe('the HTTP contract', { timeout: 300_000 }, () => {
    test.concurrent.each(mutants)('$breaks catches one that $does', async (mutant) => {
      const broken = await brokenBy(mutant);
      expect(broken.map(({ id }) => id).toSorted()).toEqual([...clausesOf(mutant)].toSorted());
      // Whoever reads it learns what was done, what came of it and what was promised, and not the token.
      for (const result of broken) {
        expect(result).toHaveProperty('message', expect.stringMatching(/^action: {3}.+\nactual: {3}.+\nexpected: /s));
        expect(result).toHaveProperty('message', expect.not.stringContaining(token));
        // In words, and short: nothing that cannot be seen, no run of one character, no dump.
        expect(result).toHaveProperty('message', expect.not.stringMatching(/(?![ \n])[\p{C}\p{Z}]/u));
        expect(result).toHaveProperty('message', expect.not.stringMatching(/(.)\1{39}|[\da-f]{60}|LENGTH|TARGET/));
        // Where an id is taken, or is not: what was sent before, too.
        expect(result).toHaveProperty(
          'message',
          expect.not.stringMatching(/^action: (?!.*(; then | at once)).*\n.*\n.*\(id-taken\)/),
        );
        expect((result as { message: string }).message.length).toBeLessThan(1_500);
      }
    });

    test(`${mutants.length} of ${mutants.length} are caught`, async () => {
      const broken = await Promise.all(mutants.map(brokenBy));
      const caught = mutants.filter(({ breaks }, at) => broken[at]?.some(({ id }) => id === breaks));
      expect(caught.map(({ does }) => does)).toEqual(mutants.map(({ does }) => does));
    });
  });
}

function clausesOf({ breaks, alsoBreaks }: Mutant): ReadonlySet<string> {
  return new Set([breaks, ...(alsoBreaks?.clauses ?? [])]);
}
