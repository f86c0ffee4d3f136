import { SMALL_WRITE, serviceTimeEstimator } from './service-time-estimator.ts';

/** Tracks how fast an engine is, as its writes have shown, and decides how much to admit. */
export interface AdmissionControl {
  /** The most items that may wait beside those in flight, so that the last of them waits for at most `maxWaitMs`. */
  capacity(inFlight: number, now: number): number;
  /** The most items that the next write should have. */
  nextBatch(): number;
  /** Records a write that has just ended. `now` is in milliseconds. */
  learn(items: number, tookMs: number, now: number): void;
}

/** The limits that items are admitted by. */
export interface AdmissionLimits {
  readonly maxBatch: number;
  readonly maxWrites: number;
  readonly maxWaitMs: number;
}

/** Makes the admission control of an engine that nothing is known of yet: it counts as fast until it proves otherwise. */
export function admissionControl({ maxBatch, maxWrites, maxWaitMs }: AdmissionLimits): AdmissionControl {
  const serviceTime = serviceTimeEstimator(maxWaitMs * TELLING);

  return {
    capacity(inFlight, now) {
      const { fixedMs, perItemMs } = serviceTime.confirmed(now);
      const inTime = (maxWaitMs * maxWrites) / perItemMs - inFlight;
      // Those that fit into the next writes wait for nothing but their turn.
      const next = maxBatch * maxWrites;
      return Math.max(0, Math.floor(Math.min(inTime, next + (next * maxWaitMs) / fixedMs)));
    },
    nextBatch() {
      const inHalfTheTime = Math.floor(maxWaitMs / 2 / serviceTime.perItemMs);
      return Math.min(maxBatch, Math.max(SMALL_WRITE, inHalfTheTime));
    },
    learn: serviceTime.learn,
  };
}

/** An eighth of the bound: a faster write says nothing about one that would take all of it. */
export const TELLING = 1 / 8;
