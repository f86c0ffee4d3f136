import type { Tools } from './contract.ts';
import { ContractViolation, type Sentence } from './contract-violation.ts';

/**
 * Waits for a promise, but not for ever.
 * @throws {ContractViolation} if it has not settled after `ms` milliseconds.
 */
export async function within<T>(
  ms: number,
  { sleep }: Tools,
  action: Sentence,
  promise: Promise<T>,
  expected = `a result, or an error, within ${ms} ms`,
): Promise<T> {
  const settle = await Promise.race([
    // What an adapter in JavaScript returns may be no promise.
    Promise.resolve(promise).then((value) => () => value),
    // The error is made when it is thrown, not whenever the time is over.
    sleep(ms).then(() => () => {
      throw new ContractViolation(action, `no result after ${ms} ms`, expected);
    }),
  ]);
  return settle();
}
