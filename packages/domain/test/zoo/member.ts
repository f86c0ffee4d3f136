import type { StoreClass } from './model-under-test.ts';
import type { VerifierClass } from './model-verifier.ts';

/** An implementation of a port that breaks one promise, in a way in which people really break it. */
export interface Member {
  /** What it does, as the predicate of a sentence: «trims the name». */
  readonly does: string;
  /** The clause that it breaks. */
  readonly breaks: string;
  /** Clauses that it cannot help breaking as well, and why not. */
  readonly alsoBreaks?: { readonly clauses: readonly string[]; readonly because: string };
}

/** A broken PlantRepository, with the store that it comes in. */
export interface StoreMember extends Member {
  readonly Store: StoreClass;
}

/** A broken TokenVerifier. */
export interface VerifierMember extends Member {
  readonly Verifier: VerifierClass;
}
