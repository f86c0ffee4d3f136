/** An implementation of a port that breaks one promise, in a way in which people really break it. */
export interface Mutant {
  /** What it does, as the predicate of a sentence: «trims the name». */
  readonly does: string;
  /** The clause that it breaks. */
  readonly breaks: string;
  /** Clauses that it cannot help breaking as well, and why not. */
  readonly alsoBreaks?: { readonly clauses: readonly string[]; readonly because: string };
}
