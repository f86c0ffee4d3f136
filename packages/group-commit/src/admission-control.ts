import { SMALL_WRITE, serviceTimeEstimator } from './service-time-estimator.ts';

/** How fast a store is, as its writes have shown, and how much may be let in. */
export interface AdmissionControl {
  /** How many adds may wait, so that the last of them waits no longer than it may, while so many are in flight. */
  capacity(inFlight: number, now: number): number;
  /** How many plants the next write should have at most. */
  nextBatch(): number;
  /** Takes note of a write that has just ended. `now` is in milliseconds. */
  learn(plants: number, tookMs: number, now: number): void;
}

/** The limits by which adds are admitted. */
export interface AdmissionLimits {
  readonly maxBatch: number;
  readonly maxWrites: number;
  readonly maxWaitMs: number;
}

/** Makes the admission control of a store of which nothing is known yet: it is taken to be fast until it shows otherwise. */
export function admissionControl({ maxBatch, maxWrites, maxWaitMs }: AdmissionLimits): AdmissionControl {
  const serviceTime = serviceTimeEstimator(maxWaitMs * TELLING);

  return {
    capacity(inFlight, now) {
      const { fixedMs, perPlantMs } = serviceTime.confirmed(now);
      const inTime = (maxWaitMs * maxWrites) / perPlantMs - inFlight;
      // Those that fit into the writes that are next wait for nothing but their turn.
      const next = maxBatch * maxWrites;
      return Math.max(0, Math.floor(Math.min(inTime, next + (next * maxWaitMs) / fixedMs)));
    },
    nextBatch() {
      if (serviceTime.perPlantMs === 0) return maxBatch;
      const inHalfTheTime = Math.floor(maxWaitMs / 2 / serviceTime.perPlantMs);
      return Math.min(maxBatch, Math.max(SMALL_WRITE, inHalfTheTime));
    },
    learn: serviceTime.learn,
  };
}

/** An eighth of the bound: from a write that takes less, nothing is concluded about one that would take all of it. */
const TELLING = 1 / 8;
