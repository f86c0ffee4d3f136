import type { BatchEngine } from './batch-engine.ts';
import type { GroupCommitEvents } from './events.ts';
import type { Platform } from './platform.ts';

/** Runs the work, and retries it after transient failures within the deadline and the retry budget. */
export type Retry = <T>(work: () => Promise<T>, deadline: number) => Promise<T>;

/**
 * Creates the only layer that retries: up to twice, tens of milliseconds apart, with jitter. The outcome of the failed attempt
 * is unknown, so the work must be idempotent.
 *
 * Each retry costs 1 of a budget, and each piece of work adds 0.1. So a failing server gets at most a tenth more work, and no
 * retry storm.
 */
export function retries(
  engine: Pick<BatchEngine<never, never>, 'isTransient'>,
  events: Pick<GroupCommitEvents, 'retried'>,
  { now, sleep }: Platform,
): Retry {
  let budget = MAX_BUDGET;
  return async (work, deadline) => {
    budget = Math.min(MAX_BUDGET, budget + 0.1);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (attempt === MAX_RETRIES || budget < 1 || !engine.isTransient?.(error)) throw error;
        const pause = backoffMs(attempt, FIRST_RETRY_PAUSE_MS, MAX_RETRY_PAUSE_MS);
        if (now() + pause > deadline) throw error;
        budget -= 1;
        await sleep(pause);
        // The timer may have fired late.
        if (now() > deadline) throw error;
        events.retried?.();
      }
    }
  };
}

/**
 * The pause before the next attempt in milliseconds: exponential up to `longestMs`, with jitter of up to half of it, so that
 * clients that failed together do not retry together.
 *
 * @param attempt 0 for the first pause.
 */
export function backoffMs(attempt: number, firstMs: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** 2: work interrupted by a lost connection succeeds by then, or not soon. */
const MAX_RETRIES = 2;

/** 10: enough for the batches that a server restart interrupts, and too few for a retry storm. */
const MAX_BUDGET = 10;

/** 40 ms, of which jitter leaves at least half: about the time in which a server ends a backend. */
const FIRST_RETRY_PAUSE_MS = 40;

/** 200 ms, a tenth of the default timeout. */
const MAX_RETRY_PAUSE_MS = 200;
