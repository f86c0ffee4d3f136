import { StoreUnavailable } from '@plant-store/domain';
import { type Platform, processPlatform } from './platform.ts';

/**
 * Waits for the work for at most `ms` milliseconds. Work that is late goes on: what it holds, such as a connection, is
 * free once it has ended.
 *
 * @throws {StoreUnavailable} on timeout.
 */
export function withTimeout<T>(work: Promise<T>, ms: number, platform: Platform = processPlatform): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = platform.after(ms, () => reject(timeoutError(ms)));
    work.then(resolve, reject).finally(cancel);
  });
}

/** What is thrown on timeout. */
export function timeoutError(ms: number): StoreUnavailable {
  return new StoreUnavailable(`the store did not respond within ${ms} ms`);
}
