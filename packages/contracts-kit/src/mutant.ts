/**
 * An implementation with one mistake, one that people really make: the id of the clause that it breaks, what it does, as
 * the predicate of a sentence («trims the name»), and the implementation.
 */
export type Mutant<Implementation> = readonly [breaks: string, does: string, implementation: Implementation];
