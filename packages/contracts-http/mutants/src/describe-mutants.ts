import { httpContract } from '@plant-store/contracts-http';
import { clausesFor, failingClauses, testMutants } from '@plant-store/contracts-kit/vitest';
import { describe, expect } from 'vitest';
import type { Mutant } from './mutant.ts';
import { token } from './mutated-service.ts';
import { runMutant } from './run-mutant.ts';

/**
 * Registers a suite that proves that each of these services fails the clause that it breaks and no other.
 *
 * @param unrelated clauses that are checked only on mutants that name them: they are about something else.
 */
export function describeMutants(mutants: readonly Mutant[], unrelated: readonly string[] = []): void {
  // All mutants at once take a minute or two, on a busy machine five.
  describe('the HTTP contract', { timeout: 600_000, concurrent: true }, () => {
    testMutants(
      mutants,
      (mutant) => {
        const isRelated = (id: string) => !unrelated.includes(id) || failingClauses(mutant).has(id);
        const related = httpContract.clauses.filter(({ id }) => isRelated(id));
        return runMutant(mutant.mutation, clausesFor(related, [mutant.breaks]));
      },
      { inspect: expectReadable, atOnce: true },
    );
  });
}

/** A message says what was sent, received and expected, in words, briefly, and without the token. */
function expectReadable(message: string): void {
  expect(message).not.toContain(token);
  // Nothing invisible, no run of one character, no dump.
  expect(message).not.toMatch(/(?![ \n])[\p{C}\p{Z}]/u);
  expect(message).not.toMatch(/(.)\1{39}|[\da-f]{60}|LENGTH|TARGET/);
  // If an id is taken, or is not: also what was sent before.
  expect(message).not.toMatch(/^action: (?!.*(; then | at once)).*\n.*\n.*\(id-taken\)/);
  expect(message.length).toBeLessThan(1_500);
}
