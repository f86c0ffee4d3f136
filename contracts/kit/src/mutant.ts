/** An implementation with one realistic mistake: the clause that must fail, the mistake («trims the name»), and the code. */
export type Mutant<Implementation> = readonly [breaks: string, does: string, implementation: Implementation];

/** The mutants of a table by clause and by mistake. */
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

/** Makes the methods that replace an object's own, given the correct methods and the object. */
export type Mutation<T> = (correct: Methods<T>, object: T) => Partial<Methods<T>>;

/** Replaces methods of an object, and returns the object. */
export function mutate<T extends object>(object: T, mutation: Mutation<T>): T {
  const methods = object as Record<string, unknown>;
  const names = [...Object.getOwnPropertyNames(Object.getPrototypeOf(object)), ...Object.keys(object)];
  const correct = names.flatMap((name) => {
    const method = methods[name];
    return typeof method === 'function' ? [[name, method.bind(object)]] : [];
  });
  return Object.assign(object, mutation(Object.fromEntries(correct), object));
}
