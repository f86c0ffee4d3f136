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

/** The methods of an object. */
type Methods<T> = {
  readonly [Name in keyof T as T[Name] extends (...parameters: never[]) => unknown ? Name : never]: T[Name];
};

/** What an object gets wrong: methods in place of its own. It is given the correct ones, and the object. */
export type Mutation<T> = (correct: Methods<T>, object: T) => Partial<Methods<T>>;

/** Gives an object the methods of a mutation. */
export function mutate<T extends object>(object: T, mutation: Mutation<T>): T {
  const methods = object as Record<string, unknown>;
  const names = [...Object.getOwnPropertyNames(Object.getPrototypeOf(object)), ...Object.keys(object)];
  const correct = names.flatMap((name) => {
    const method = methods[name];
    return typeof method === 'function' ? [[name, method.bind(object)]] : [];
  });
  return Object.assign(object, mutation(Object.fromEntries(correct), object));
}
