import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from './errors.ts';

/** The options of {@link retrying}. */
export interface Retrying {
  readonly everyMs: number;
  /** The maximum time in milliseconds since the first attempt; unlimited by default. */
  readonly forMs?: number;
  /** Whether waiting may resolve this error. */
  readonly mayRecover: (error: unknown) => boolean;
  /** Aborts a pause. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each new reason. */
  readonly onRetry: (reason: string) => void;
}

/**
 * Returns a function that repeats work every `everyMs` milliseconds while waiting may help. It reports each new reason once, and
 * throws the last error, or an AbortError if the signal aborts a pause.
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
