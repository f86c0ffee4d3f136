import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../errors.ts';

/**
 * A function that repeats work twice a second while waiting may help, for so long or until the signal is aborted.
 * @param onRetry called with each new reason.
 */
export function retrying(
  forMs: number,
  mayRecover: (error: unknown) => boolean,
  signal: AbortSignal,
  onRetry: (reason: string) => void,
) {
  let reason = '';
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const deadline = performance.now() + forMs;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!mayRecover(error) || signal.aborted || performance.now() > deadline) throw error;
        const message = errorMessage(error);
        if (reason !== message) onRetry(message);
        reason = message;
        await sleep(500, undefined, { signal });
      }
    }
  };
}
