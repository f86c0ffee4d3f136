import { type Platform, processPlatform } from './platform.ts';

/**
 * Waits for the work for at most `ms` milliseconds. Work that is late goes on: what it holds, such as a connection, is
 * free once it has ended.
 *
 * @throws what `timedOut` returns, on timeout.
 */
export function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  timedOut: () => Error,
  platform: Platform = processPlatform,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = platform.after(ms, () => reject(timedOut()));
    work.then(resolve, reject).finally(cancel);
  });
}
