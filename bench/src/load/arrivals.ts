import type { Load } from './load.ts';

/** When requests are due. All times are those of `performance.now()`, in milliseconds. */
export interface Arrivals {
  /** Takes the next request that is due and returns when it was; undefined if none is. */
  next(now: number): number | undefined;
  /** Whether no further request will be due. */
  isOver(now: number): boolean;
}

export function arrivalsOf({ rate, seconds }: Load, start: number): Arrivals {
  return rate === undefined ? closedLoop(start + seconds * 1_000) : openLoop(Math.floor(seconds * rate), rate, start);
}

/** A request is due whenever a connection is free. */
function closedLoop(end: number): Arrivals {
  return {
    next: (now) => (now < end ? now : undefined),
    isOver: (now) => now >= end,
  };
}

/**
 * Requests are due at a constant rate. One without a free connection is sent later, but its latency counts from when it was
 * due: a server that stalls for a second is charged for all requests of that second, not only for the one in flight
 * («coordinated omission»).
 */
function openLoop(total: number, rate: number, start: number): Arrivals {
  let taken = 0;
  return {
    next(now) {
      const due = start + (taken / rate) * 1_000;
      if (taken >= total || due > now) return undefined;
      taken += 1;
      return due;
    },
    isOver: () => taken >= total,
  };
}
