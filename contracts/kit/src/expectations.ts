import { ContractViolation, type Sentence } from './contract-violation.ts';
import { show } from './show.ts';

/** Waits for a call that must not throw. */
export async function resolved<T>(action: Sentence, call: () => Promise<T>, expected: string): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof ContractViolation
      ? new ContractViolation(action, error.actual, error.expected)
      : new ContractViolation(action, `threw ${show(error)}`, expected);
  }
}

/** Waits for a call that may throw the port's own error for «unavailable», and no other; undefined if it did. */
export async function unlessUnavailable<T>(
  action: Sentence,
  call: () => Promise<T>,
  Unavailable: new (message: string) => Error,
): Promise<{ value: T } | undefined> {
  try {
    return { value: await call() };
  } catch (error) {
    if (error instanceof Unavailable) return undefined;
    if (error instanceof ContractViolation) throw new ContractViolation(action, error.actual, error.expected);
    const { name } = Unavailable;
    const namesake = error instanceof Error && error.name === name;
    const hint = namesake ? ', of another class of that name: is its package installed twice?' : '';
    throw new ContractViolation(action, `threw ${show(error)}${hint}`, `it throws ${name}, and nothing else`);
  }
}
