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

/** Retries an attempt while the store is unavailable. The attempt must be idempotent, as creating a plant is. */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  { forMs, signal, onWait }: RetryOptions,
): Promise<Result> {
  const deadline = performance.now() + forMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      // With jitter: plants that failed together are not retried together.
      const wait = (error instanceof RetryAfter ? error.ms : pause) * (1 + Math.random() / 2);
      if (signal.aborted || performance.now() + wait > deadline) throw error;
      onWait(error.message);
      await sleep(wait, undefined, { signal }).catch(() => {});
    }
  }
}

const FIRST_PAUSE_MS = 50;

/** 2 s: the most that is lost after an outage has ended. */
const LONGEST_PAUSE_MS = 2_000;
