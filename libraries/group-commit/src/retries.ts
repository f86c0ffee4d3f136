import type { Platform } from './platform.ts';

/** Does the work, and again after a transient failure, as long as the deadline and the budget allow. */
export type Retry = <T>(work: () => Promise<T>, deadline: number) => Promise<T>;

/**
 * Makes the one layer that retries: up to twice, some ten milliseconds apart and with jitter. What was done until then
 * is unknown, so the work has to be such that doing it again is safe.
 *
 * Each retry costs one from a budget, and each piece of work earns a tenth: a server in trouble gets a tenth more work
 * than it was asked for, and no storm.
 *
 * @param isTransient whether the same work is worth doing again at once.
 * @param onRetry is called before each further attempt.
 */
export function retries(
  isTransient: (error: unknown) => boolean,
  { now, sleep }: Pick<Platform, 'now' | 'sleep'>,
  onRetry: () => void = () => {},
): Retry {
  let budget = MAX_BUDGET;
  return async (work, deadline) => {
    budget = Math.min(MAX_BUDGET, budget + 0.1);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (attempt === MAX_RETRIES || budget < 1 || !isTransient(error)) throw error;
        const pause = backoffMs(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
        if (now() + pause > deadline) throw error;
        budget -= 1;
        await sleep(pause);
        // The timer may have been late.
        if (now() > deadline) throw error;
        onRetry();
      }
    }
  };
}

/**
 * How long to wait before the next attempt, in milliseconds: twice as long each time up to the longest, half of it by
 * chance. So those that failed together do not come back in step.
 *
 * @param attempt 0 for the first pause.
 */
export function backoffMs(attempt: number, firstMs: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** 2: what a lost connection has interrupted succeeds by then, or not soon. */
const MAX_RETRIES = 2;

/** 10: enough for the batches that a restart of the server interrupts, too few for a storm. */
const MAX_BUDGET = 10;

/** 40 ms, of which at least half is waited: about as long as a server takes to end a backend. */
const FIRST_PAUSE_MS = 40;

/** 200 ms, a tenth of the default timeout. */
const LONGEST_PAUSE_MS = 200;
