/** An implementation of a port with one mistake, one that people really make. */
export interface Mutant {
  /** What it does, as the predicate of a sentence: «trims the name». */
  readonly does: string;
  /** The id of the clause that it violates. */
  readonly breaks: string;
  /** Other clauses that it cannot help violating, and why. */
  readonly alsoBreaks?: { readonly clauses: readonly string[]; readonly because: string };
}
