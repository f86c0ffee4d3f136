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
  const attempt = async () => {
    try {
      return { value: await call() };
    } catch (error) {
      if (error instanceof Unavailable) return undefined;
      throw error;
    }
  };
  // One of the same name may be of another copy of its package.
  return resolved(
    action,
    attempt,
    `it throws ${Unavailable.name} of the package that the contract uses, and nothing else`,
  );
}
