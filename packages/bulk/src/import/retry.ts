import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';

/** The service has said when to retry. */
export class RetryAfter extends StoreUnavailable {
  readonly ms: number;

  constructor(message: string, ms: number) {
    super(message);
    this.ms = ms;
  }
}

/** How long to retry. */
export interface RetryOptions {
  readonly forMs: number;
  /** Stops retrying. */
  readonly signal: AbortSignal;
  /** Called with the reason before each retry. */
  readonly onWait: (reason: string) => void;
}

/** Retries an attempt while the store is unavailable. The attempt must be idempotent. */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  { forMs, signal, onWait }: RetryOptions,
): Promise<Result> {
  const deadline = performance.now() + forMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      const wait = pauseMs(failures, error);
      if (signal.aborted || performance.now() + wait > deadline) throw error;
      onWait(error.message);
      await sleep(wait, undefined, { signal }).catch(() => {});
    }
  }
}

/**
 * How long to wait after so many failures in a row, in milliseconds: at least as long as the service has said. With jitter:
 * what failed together is not retried together.
 */
export function pauseMs(failures: number, error: StoreUnavailable): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
  return Math.max(pause, error instanceof RetryAfter ? error.ms : 0) * (1 + Math.random() / 2);
}

const FIRST_PAUSE_MS = 50;

/** 2 s: the most that is lost after an outage has ended. */
const LONGEST_PAUSE_MS = 2_000;
