import { SMALL_WRITE, writeCost } from './service-time-estimator.ts';

/** How fast a store is, as its writes have shown, and what follows from that. */
export interface Pace {
  /** How many adds may wait, so that the last of them waits no longer than it may, while so many are being written. */
  room(underWay: number, now: number): number;
  /** How many plants the next write should have at the most. */
  nextBatch(): number;
  /** Takes note of a write that was done just now. `now` is in milliseconds. */
  learn(plants: number, tookMs: number, now: number): void;
}

/** The limits within which a pace is kept. */
export interface PaceLimits {
  readonly maxBatch: number;
  readonly maxWrites: number;
  readonly maxWaitMs: number;
}

/** Makes the pace of a store of which nothing is known yet: it is taken to be fast until it shows otherwise. */
export function pace({ maxBatch, maxWrites, maxWaitMs }: PaceLimits): Pace {
  const cost = writeCost(maxWaitMs * TELLING);

  return {
    room(underWay, now) {
      const { fixedMs, perPlantMs } = cost.confirmed(now);
      const inTime = (maxWaitMs * maxWrites) / perPlantMs - underWay;
      // Those that fit into the writes that are next wait for nothing but their turn.
      const next = maxBatch * maxWrites;
      return Math.max(0, Math.floor(Math.min(inTime, next + (next * maxWaitMs) / fixedMs)));
    },
    nextBatch() {
      if (cost.perPlantMs === 0) return maxBatch;
      const inHalfTheTime = Math.floor(maxWaitMs / 2 / cost.perPlantMs);
      return Math.min(maxBatch, Math.max(SMALL_WRITE, inHalfTheTime));
    },
    learn: cost.learn,
  };
}

/** An eighth of the bound: from a write that takes less, nothing is concluded about one that would take all of it. */
const TELLING = 1 / 8;
