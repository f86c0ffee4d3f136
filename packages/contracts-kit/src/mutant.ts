/**
 * An implementation with one mistake, one that people really make: the id of the clause that it breaks, what it does, as
 * the predicate of a sentence («trims the name»), and the implementation.
 */
export type Mutant<Implementation> = readonly [breaks: string, does: string, implementation: Implementation];

/** The mutants of a table, which has them by the clause that they break and by what they do. */
export function mutantTable<Implementation>(
  table: Readonly<Record<string, Readonly<Record<string, Implementation>>>>,
): Mutant<Implementation>[] {
  return Object.entries(table).flatMap(([breaks, mutants]) =>
    Object.entries(mutants).map(([does, implementation]): Mutant<Implementation> => [breaks, does, implementation]),
  );
}
