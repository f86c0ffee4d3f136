import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from './errors.ts';

/** When failed work is repeated. Times are in milliseconds. */
export interface Retrying {
  readonly everyMs: number;
  /** How long, from the first try; for ever by default. */
  readonly forMs?: number;
  /** Whether waiting may help after such a failure. */
  readonly mayRecover: (error: unknown) => boolean;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each new reason. */
  readonly onRetry: (reason: string) => void;
}

/**
 * A function that repeats work while waiting may help. All work that it is given has its reasons told once.
 * It throws what the last try threw, or an AbortError if the signal ends a pause.
 */
export function retrying({ everyMs, forMs = Number.POSITIVE_INFINITY, mayRecover, signal, onRetry }: Retrying) {
  let reason = '';
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const deadline = performance.now() + forMs;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!mayRecover(error) || signal?.aborted || performance.now() > deadline) throw error;
        const message = errorMessage(error);
        if (reason !== message) onRetry(message);
        reason = message;
        await sleep(everyMs, undefined, { signal });
      }
    }
  };
}
