/**
 * The clauses that a run checks: with `TEST_MUTANTS=all` every one, else those with these ids, such as the one that a
 * mutant breaks. What else the mutant breaks or passes is then for the exhaustive run to say.
 */
export function clausesFor<Clause extends { readonly id: string }>(
  clauses: readonly Clause[],
  ids: readonly string[],
): readonly Clause[] {
  return process.env['TEST_MUTANTS'] === 'all' ? clauses : clauses.filter(({ id }) => ids.includes(id));
}
