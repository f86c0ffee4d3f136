import { ExponentialBackoff, handleWhen, retry } from 'cockatiel';
import { isTransient } from './failures.ts';

/**
 * Makes the one layer that tries again: up to twice more, some ten milliseconds apart and with jitter, after a failure
 * that passes, such as a backend that was terminated. What was done until then is unknown, so the work has to be such
 * that doing it again is safe.
 *
 * Each such failure costs one from a budget, and each piece of work earns a tenth: a server in trouble gets a tenth more
 * work than it was asked for, and no storm.
 *
 * @param onRetry is called before each further attempt.
 * @param withinMs nobody waits for the work after so many milliseconds: it is not tried again then.
 */
export function retries(withinMs: number, onRetry: () => void = () => {}): <T>(work: () => Promise<T>) => Promise<T> {
  let budget = MAX_BUDGET;
  const isWorthAnother = (error: unknown) => {
    if (!isTransient(error) || budget < 1) return false;
    budget -= 1;
    return true;
  };
  const policy = retry(handleWhen(isWorthAnother), {
    maxAttempts: 2,
    backoff: new ExponentialBackoff({ initialDelay: 20, maxDelay: 200 }),
  });
  policy.onRetry(onRetry);
  return (work) => {
    budget = Math.min(MAX_BUDGET, budget + 0.1);
    const deadline = performance.now() + withinMs;
    let failure: unknown;
    return policy.execute(async () => {
      // cockatiel looks at its signal before it pauses, and not after.
      if (performance.now() > deadline) throw failure;
      return work().catch((error: unknown) => {
        failure = error;
        throw error;
      });
    }, AbortSignal.timeout(withinMs));
  };
}

/** 10: what a restart of the server costs those that are under way, and no more than a moment's retries. */
const MAX_BUDGET = 10;
