/** Decides when a write begins, by what was measured. All times are in milliseconds, by the platform's clock. */
export interface WriteTiming {
  /** An item has arrived. */
  arrived(now: number): void;
  /** A write has committed, and so many items have their answers. */
  ended(items: number, began: number, now: number): void;
  /**
   * How many of the waiting items should be written now; 0 if they should wait for others.
   *
   * @param inFlight items that are being written.
   * @param oldest when the oldest write that is in flight began, or now.
   */
  next(waiting: number, inFlight: number, oldest: number, now: number): number;
  /** Until when they should wait at most; {@link next} is asked again then. */
  until(inFlight: number, oldest: number): number;
}

/**
 * Clients that send their next item after a response come back together after a commit. A server syncs its log for one
 * commit after the other, so an item that misses a commit waits for two. Let all clients need R to come back, and a
 * commit C. One write for all takes R + C. Two halves, of which one is prepared while the other is committed, take 2 C, or
 * R if that is longer. So one write is better if R is less than C. Otherwise as many parts are as may be in flight.
 *
 * At a constant rate, as many items as a commit had need about C to arrive. That counts as R, so nobody is waited for
 * then: hence the margin. PostgreSQL's advice for `commit_delay`, half of a sync, also waits for less than C.
 *
 * A lone client never waits. Others wait for a commit at most after the last write, or beside one that takes no longer than is
 * usual. Timers count in milliseconds.
 *
 * @param parts how many writes may be in flight.
 * @param longestMs if commits take longer, nothing waits: then it is the engine that items wait for.
 */
export function writeTiming(parts: number, longestMs: number): WriteTiming {
  let commitMs = 0;
  /** R of a single client. */
  let returnMs = Infinity;
  /** The clients of the last write, and those of them that have not come back. */
  let answered = 0;
  let away = 0;
  let lastEnd = 0;
  const returned = (now: number) => {
    // A pause says no more than that they were not back by then.
    returnMs = recentMean(returnMs, Math.min(now - lastEnd, UNUSUAL * commitMs) / answered);
  };

  return {
    arrived(now) {
      if (away === 0) return;
      away -= 1;
      if (away === 0) returned(now);
    },
    ended(items, began, now) {
      // They need at least as long.
      if (away > 0) returned(now);
      // A write that began beside another waited for it.
      const took = now - Math.max(began, lastEnd);
      commitMs = commitMs === 0 ? took : recentMean(commitMs, Math.min(took, UNUSUAL * commitMs));
      answered = items;
      away = items;
      lastEnd = now;
    },
    next(waiting, inFlight, oldest, now) {
      if (commitMs === 0 || commitMs > longestMs || now - oldest >= UNUSUAL * commitMs) return waiting;
      const all = waiting + inFlight + (now - lastEnd < commitMs ? away : 0);
      if (all * returnMs < MARGIN * commitMs) return waiting < all ? 0 : waiting;
      return inFlight > 0 && waiting < Math.floor(all / parts) ? 0 : Math.ceil(all / parts);
    },
    until: (inFlight, oldest) => (inFlight > 0 ? oldest + UNUSUAL * commitMs : lastEnd + commitMs),
  };
}

/** Of about the last eight. */
function recentMean(mean: number, value: number): number {
  return mean === Infinity ? value : mean + (value - mean) / 8;
}

/** 0.7: at a constant rate R varies around C. */
const MARGIN = 0.7;

/** Three times what commits take: they vary by less. */
const UNUSUAL = 3;
