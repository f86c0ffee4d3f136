import { ContractViolation, type Sentence } from './contract-violation.ts';
import { show } from './show.ts';

/** Waits for a call. @throws {ContractViolation} with this action if the call throws. */
export async function resolved<T>(action: Sentence, call: () => Promise<T>, expected: string): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof ContractViolation
      ? new ContractViolation(action, error.actual, error.expected)
      : new ContractViolation(action, `threw ${show(error)}`, expected);
  }
}

/** Waits for a call that may throw the port's error for «unavailable» and no other. Resolves with undefined if it does. */
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
  // Another copy of the package has an error of the same name.
  return resolved(
    action,
    attempt,
    `it throws ${Unavailable.name} of the package that the contract uses, and nothing else`,
  );
}
