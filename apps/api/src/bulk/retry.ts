import { setTimeout as sleep } from 'node:timers/promises';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';

/**
 * A function that repeats work twice a second while the store is unavailable, for so long or until the signal is aborted.
 * @param onRetry called with each new reason.
 */
export function retrying(forMs: number, signal: AbortSignal, onRetry: (reason: string) => void) {
  let reason = '';
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const deadline = performance.now() + forMs;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!mayRecover(error) || signal.aborted || performance.now() > deadline) throw error;
        if (reason !== error.message) onRetry(error.message);
        reason = error.message;
        await sleep(500, undefined, { signal });
      }
    }
  };
}

/** Whether waiting may help. */
export function mayRecover(error: unknown): error is StoreUnavailable {
  return error instanceof StoreUnavailable && !(error instanceof StoreMisconfigured);
}
