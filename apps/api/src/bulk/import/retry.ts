import { setTimeout as sleep } from 'node:timers/promises';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';

export interface RetryOptions {
  /** Gives up after so long without a success. */
  readonly forMs: number;
  /** Gives up. */
  readonly signal: AbortSignal;
  /** Called with each new reason. */
  readonly onRetry: (reason: string) => void;
}

/** Repeats an attempt while the store is unavailable. Attempts at the same time share the pause and the time limit. */
export function retried<Given extends unknown[], Result>(
  attempt: (...given: Given) => Promise<Result>,
  { forMs, signal, onRetry }: RetryOptions,
): (...given: Given) => Promise<Result> {
  let failingSince: number | undefined;
  let reason = '';
  let pause: Promise<void> | undefined;
  return async (...given) => {
    for (;;) {
      try {
        const result = await attempt(...given);
        failingSince = undefined;
        return result;
      } catch (error) {
        if (!mayRecover(error) || signal.aborted) throw error;
        failingSince ??= performance.now();
        if (performance.now() - failingSince > forMs) throw error;
        if (reason !== error.message) onRetry(error.message);
        reason = error.message;
        pause ??= sleep(PAUSE_MS, undefined, { signal }).finally(() => {
          pause = undefined;
        });
        await pause;
      }
    }
  };
}

/** Whether waiting may help. */
export function mayRecover(error: unknown): error is StoreUnavailable {
  return error instanceof StoreUnavailable && !(error instanceof StoreMisconfigured);
}

const PAUSE_MS = 500;
