import type { Mutant } from '../mutant.ts';

/** What decides a selection; by the environment and the calendar if left out. */
export interface Selection {
  /** Whether every clause is selected; with `TEST_MUTANTS=all` if left out. */
  readonly everyClause?: boolean;
  /** Counts days; today (UTC) if left out. */
  readonly day?: number;
}

/** Whether a clause is selected, by its id, its index in the contract and the contract's clauses. */
export type ClauseFilter = (id: string, index: number, clauses: ArrayLike<unknown>) => boolean;

/**
 * Selects the clauses that a mutant is checked against: with `TEST_MUTANTS=all` every one; else the one that it breaks, and
 * one of the contract, another one each day. What else it breaks or passes is what sampling can miss for some days; that
 * its own clause catches it is always checked.
 *
 * @param position of the mutant among all, so that each gets another sample.
 */
export function clausesFor({ breaks }: Mutant, position: number, selection: Selection = {}): ClauseFilter {
  return sampledClauses([breaks], position, selection);
}

/** Selects these clauses, and one more as {@link clausesFor} does. */
export function sampledClauses(
  always: readonly string[],
  position: number,
  { everyClause = process.env['TEST_MUTANTS'] === 'all', day = Math.floor(Date.now() / 86_400_000) }: Selection = {},
): ClauseFilter {
  return (id, index, { length }) => everyClause || always.includes(id) || index === (position + day) % length;
}
