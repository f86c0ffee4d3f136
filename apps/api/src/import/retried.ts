import { setTimeout as sleep } from 'node:timers/promises';
import { type CreatePlant, StoreUnavailable } from '@plant-store/domain';

/** The other side says itself when to come back. */
export class RetryAfter extends StoreUnavailable {
  readonly ms: number;

  constructor(message: string, ms: number) {
    super(message);
    this.ms = ms;
  }
}

/**
 * Creates again what could not be created for the moment, which is safe: creating is idempotent.
 *
 * @param forMs for how long.
 * @param signal ends the waiting.
 * @param onWait told why, each time.
 */
export function retried(
  create: CreatePlant,
  forMs: number,
  signal: AbortSignal,
  onWait: (reason: string) => void,
): CreatePlant {
  return async (plant) => {
    const deadline = performance.now() + forMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await create(plant);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        // With jitter: those that failed together do not come back together.
        const wait = (error instanceof RetryAfter ? error.ms : pause) * (1 + Math.random() / 2);
        if (signal.aborted || performance.now() + wait > deadline) throw error;
        onWait(error.message);
        await sleep(wait, undefined, { signal }).catch(() => {});
      }
    }
  };
}

const FIRST_PAUSE_MS = 50;

/** 2 s: an outage that has ended costs no more than that. */
const LONGEST_PAUSE_MS = 2_000;
