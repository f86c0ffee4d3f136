import type { Mutation } from './mutation.ts';

/** A service that breaks one promise of the HTTP contract, in a way in which people really break it. */
export interface Mutant {
  /** What it does, as the predicate of a sentence: «answers 201 for 200». */
  readonly does: string;
  /** The clause that it breaks. */
  readonly breaks: string;
  readonly alsoBreaks?: AlsoBreaks;
  readonly mutation: Mutation;
}

/** Clauses that a mutant cannot help breaking besides its own, and why not. */
export interface AlsoBreaks {
  readonly clauses: readonly string[];
  readonly because: string;
}
