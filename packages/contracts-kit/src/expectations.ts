import { ContractViolation, show } from './contract.ts';

/** Waits for a call that must not throw. */
export async function resolved<T>(did: string, call: () => Promise<T>, promised: string): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof ContractViolation
      ? new ContractViolation(did, error.actual, error.expected)
      : new ContractViolation(did, `threw ${show(error)}`, promised);
  }
}

/** Waits for a call that may throw the error with which a port says that it cannot answer, and nothing else. */
export async function unlessUnavailable<T>(
  did: string,
  call: () => Promise<T>,
  Unavailable: new (message: string) => Error,
): Promise<{ value: T } | undefined> {
  try {
    return { value: await call() };
  } catch (error) {
    if (error instanceof Unavailable) return undefined;
    if (error instanceof ContractViolation) throw new ContractViolation(did, error.actual, error.expected);
    const { name } = Unavailable;
    const namesake = error instanceof Error && error.name === name;
    const hint = namesake ? ', of another class of that name: is its package installed twice?' : '';
    throw new ContractViolation(did, `threw ${show(error)}${hint}`, `it throws ${name}, and nothing else`);
  }
}
