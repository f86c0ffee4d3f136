import type { Mutant } from '../mutant.ts';

/** What decides a selection; by the environment and the calendar if left out. */
export interface Selection {
  /** Whether every clause is selected; with `TEST_MUTANTS=all` if left out. */
  readonly everyClause?: boolean;
  /** Counts days; today (UTC) if left out. */
  readonly day?: number;
}

/**
 * Selects the clauses that a mutant is checked against: with `TEST_MUTANTS=all` every one; else the one that it breaks, and
 * one of the others, another one each day. What else it breaks or passes is what sampling can miss for some days; that its
 * own clause catches it is always checked.
 *
 * @param position of the mutant among all, so that each gets another sample.
 */
export function clausesFor<Clause extends { readonly id: string }>(
  clauses: readonly Clause[],
  { breaks }: Mutant,
  position: number,
  selection: Selection = {},
): readonly Clause[] {
  return sampledClauses(clauses, [breaks], position, selection);
}

/** Selects the clauses with these ids, and one of the others as {@link clausesFor} does. */
export function sampledClauses<Clause extends { readonly id: string }>(
  clauses: readonly Clause[],
  always: readonly string[],
  position: number,
  { everyClause = process.env['TEST_MUTANTS'] === 'all', day = Math.floor(Date.now() / 86_400_000) }: Selection = {},
): readonly Clause[] {
  if (everyClause) return clauses;
  const others = clauses.filter(({ id }) => !always.includes(id));
  const sample = others[(position + day) % others.length];
  return clauses.filter((clause) => always.includes(clause.id) || clause === sample);
}
