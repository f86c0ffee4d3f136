import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';

/** The other side says itself when to come back. */
export class RetryAfter extends StoreUnavailable {
  readonly ms: number;

  constructor(message: string, ms: number) {
    super(message);
    this.ms = ms;
  }
}

/** For how long, and until when, something is tried again. */
export interface Retrying {
  readonly forMs: number;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Told why, each time. */
  readonly onWait: (reason: string) => void;
}

/** Does again what could not be done for the moment. It has to be safe to do twice, as creating a plant is. */
export async function retried<Result>(
  attempt: () => Promise<Result>,
  { forMs, signal, onWait }: Retrying,
): Promise<Result> {
  const deadline = performance.now() + forMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      // With jitter: those that failed together do not come back together.
      const wait = (error instanceof RetryAfter ? error.ms : pause) * (1 + Math.random() / 2);
      if (signal.aborted || performance.now() + wait > deadline) throw error;
      onWait(error.message);
      await sleep(wait, undefined, { signal }).catch(() => {});
    }
  }
}

const FIRST_PAUSE_MS = 50;

/** 2 s: an outage that has ended costs no more than that. */
const LONGEST_PAUSE_MS = 2_000;
