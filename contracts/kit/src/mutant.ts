import type { Contract } from './contract.ts';
import { methodsOf } from './methods.ts';

/** An implementation with one realistic mistake: the clause that must fail, the mistake («trims the name»), and the code. */
export type Mutant<Implementation> = readonly [breaks: string, does: string, implementation: Implementation];

/** The mutants of a contract, in the order of its clauses. */
export function mutantsOf<Implementation>({ clauses }: Contract<never, Implementation>): Mutant<Implementation>[] {
  return clauses.flatMap(({ id, mutants = {} }) =>
    Object.entries(mutants).map(([does, implementation]): Mutant<Implementation> => [id, does, implementation]),
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
  return Object.assign(object, mutation(methodsOf(object) as Methods<T>, object));
}
