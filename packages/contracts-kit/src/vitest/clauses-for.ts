import type { Mutant } from '../mutant.ts';
import { failingClauses } from './test-mutants.ts';

/**
 * Selects the clauses that a mutant is checked against: with `TEST_MUTANTS=all` every one; else those that the mutant
 * names, and a tenth of the others, another tenth each day. That every other clause passes a mutant is what sampling can
 * miss for some days; that its own clause catches it is always checked.
 *
 * @param position of the mutant among all, so that each gets another sample.
 * @param everyClause whether all are selected; by the environment if left out.
 * @param day counts days, and selects the sample; today (UTC) if left out.
 */
export function clausesFor(
  mutant: Mutant,
  position: number,
  { everyClause = process.env['TEST_MUTANTS'] === 'all', day = Math.floor(Date.now() / 86_400_000) } = {},
): (id: string, index: number) => boolean {
  const named = failingClauses(mutant);
  return (id, index) => everyClause || named.has(id) || (index + position + day) % SAMPLE === 0;
}

/** One in ten: in ten days every mutant has met every clause. */
const SAMPLE = 10;
