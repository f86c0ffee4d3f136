import type { Load } from './load.ts';

/** When requests are due. All times are those of `performance.now()`, in milliseconds. */
export interface Arrivals {
  /** Takes the next request that is due and returns when it was; undefined if none is. */
  next(now: number): number | undefined;
  /** Whether no further request will be due. */
  isOver(now: number): boolean;
}

/** A request is due whenever a connection is free. */
export function closedLoop({ seconds, requests = Number.POSITIVE_INFINITY }: Load, start: number): Arrivals {
  const end = start + seconds * 1_000;
  let taken = 0;
  const isOver = (now: number) => now >= end || taken >= requests;
  return {
    next(now) {
      if (isOver(now)) return undefined;
      taken += 1;
      return now;
    },
    isOver,
  };
}

/**
 * Requests are due at a constant rate. One without a free connection is sent later, but its latency counts from when it was
 * due: a server that stalls for a second is charged for all requests of that second, not only for the one in flight
 * («coordinated omission»).
 */
export function openLoop({ seconds, requests, rate }: Load & { readonly rate: number }, start: number): Arrivals {
  const total = Math.min(requests ?? Number.POSITIVE_INFINITY, Math.floor(seconds * rate));
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
