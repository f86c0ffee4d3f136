import { setTimeout as sleep } from 'node:timers/promises';
import { type CreatePlant, StoreUnavailable } from '@plant-store/domain';
import { pauseMs, type RetryOptions } from './retry.ts';

/** How many plants are sent at once. */
export interface PaceOptions extends RetryOptions {
  /** In the beginning. */
  readonly first: number;
  /** At most. */
  readonly max: number;
}

/**
 * Creates plants as fast as the destination takes them. How many are in flight follows TCP's congestion control (RFC 5681):
 * it grows while plants are created, is halved when one fails, and falls to one when all do. What fails is retried, not
 * before `Retry-After`; a plant that waits holds no place. Retrying ends when no plant was created for `forMs`: an overload
 * that this import causes itself slows it down and does not end it.
 */
export function paced(create: CreatePlant, { first, max, forMs, signal, onWait }: PaceOptions): CreatePlant {
  let window = Math.min(first, max);
  /** Below it the window grows by one for each plant, above it by one for each window of plants. */
  let threshold = Number.POSITIVE_INFINITY;
  let inFlight = 0;
  /** Counts decreases: plants that were sent before the latest one say nothing new. */
  let round = 0;
  /** Decreases since the last plant was created. */
  let failures = 0;
  let failingSince: number | undefined;
  let isHeld = false;
  let givenUp: StoreUnavailable | undefined;
  const waiting: (() => void)[] = [];
  const givingUp = new AbortController();
  const ended = AbortSignal.any([signal, givingUp.signal]);
  ended.addEventListener('abort', () => {
    for (const go of waiting.splice(0)) go();
  });

  const isFull = () => inFlight >= Math.floor(window);

  function pump(): void {
    while (!isHeld && !isFull()) {
      const go = waiting.shift();
      if (!go) return;
      inFlight += 1;
      go();
    }
  }

  /** Resolves when the plant may be sent; retries come first, so that the lines that are done have few gaps. */
  async function place(isRetry: boolean): Promise<void> {
    if (!ended.aborted && !isHeld && !isFull() && waiting.length === 0) {
      inFlight += 1;
      return;
    }
    if (!ended.aborted)
      await new Promise<void>((resolve) => {
        if (isRetry) waiting.unshift(resolve);
        else waiting.push(resolve);
      });
    if (ended.aborted) throw givenUp ?? new StoreUnavailable('interrupted');
  }

  function succeeded(since: number): void {
    failures = 0;
    failingSince = undefined;
    if (since === round && isFull()) window = Math.min(max, window + (window < threshold ? 1 : 1 / window));
  }

  /** Returns how long the plant has to wait, in milliseconds. */
  function failed(error: StoreUnavailable, since: number): number {
    const now = performance.now();
    failingSince ??= now;
    const wasOne = window < 2;
    if (since === round) {
      round += 1;
      if (failures === 0) threshold = Math.max(1, Math.floor(window / 2));
      failures += 1;
      window /= 2;
    }
    // Each failure takes its place away: a refusal comes sooner than a commit, and the next plant would be refused as well.
    window = Math.max(1, Math.min(window, inFlight - 1));
    const wait = pauseMs(failures, error);
    if (signal.aborted || now + wait > failingSince + forMs) {
      givenUp ??= error;
      givingUp.abort();
      throw givenUp;
    }
    onWait(error.message);
    // One at a time is still too much: only a pause is less.
    if (wasOne && !isHeld) {
      isHeld = true;
      void sleep(wait, undefined, { signal: ended })
        .catch(() => {})
        .then(() => {
          isHeld = false;
          pump();
        });
    }
    return wait;
  }

  return async (plant) => {
    for (let isRetry = false; ; isRetry = true) {
      await place(isRetry);
      const since = round;
      let wait: number;
      try {
        const result = await create(plant);
        succeeded(since);
        return result;
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        wait = failed(error, since);
      } finally {
        inFlight -= 1;
        pump();
      }
      await sleep(wait, undefined, { signal: ended }).catch(() => {});
    }
  };
}
