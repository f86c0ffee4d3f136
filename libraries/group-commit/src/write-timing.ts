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
 */
export class WriteTiming {
  readonly #maxWrites: number;
  readonly #maxCommitMs: number;
  #commitMs = 0;
  /** The think time: R divided by the number of clients. */
  #thinkMs = Infinity;
  /** The clients of the last write, and those that have not returned. */
  #clients = 0;
  #clientsAway = 0;
  #lastEnd = 0;

  /**
   * @param maxWrites the maximum of concurrent writes.
   * @param maxCommitMs nothing waits if commits take longer, because the queue would reject items meanwhile.
   */
  constructor(maxWrites: number, maxCommitMs: number) {
    this.#maxWrites = maxWrites;
    this.#maxCommitMs = maxCommitMs;
  }

  /** Records the arrival of an item. */
  arrived(now: number): void {
    if (this.#clientsAway === 0) return;
    this.#clientsAway -= 1;
    if (this.#clientsAway > 0) return;
    // Capped, because a long pause only shows that they had not returned by then.
    const returnMs = Math.min(now - this.#lastEnd, OUTLIER_FACTOR * this.#commitMs);
    this.#thinkMs = movingAverage(this.#thinkMs, returnMs / this.#clients);
  }

  /** Records a write that has committed, and the number of clients that got a response. */
  committed(items: number, began: number, now: number): void {
    // A concurrent write waited for the previous one.
    const took = now - Math.max(began, this.#lastEnd);
    const isFirst = this.#commitMs === 0;
    this.#commitMs = isFirst ? took : movingAverage(this.#commitMs, Math.min(took, OUTLIER_FACTOR * this.#commitMs));
    this.#clients = items;
    this.#clientsAway = items;
    this.#lastEnd = now;
  }

  /**
   * The number of waiting items to write now; 0 if they should wait for others.
   *
   * @param inFlight the number of items being written.
   * @param oldest the start of the oldest write in flight, or now.
   */
  nextSize(waiting: number, inFlight: number, oldest: number, now: number): number {
    const commitMs = this.#commitMs;
    if (commitMs === 0 || commitMs > this.#maxCommitMs || now - oldest >= OUTLIER_FACTOR * commitMs) return waiting;
    const all = waiting + inFlight + (now - this.#lastEnd < commitMs ? this.#clientsAway : 0);
    if (all * this.#thinkMs < MARGIN * commitMs) return waiting < all ? 0 : waiting;
    return inFlight > 0 && waiting < Math.floor(all / this.#maxWrites) ? 0 : Math.ceil(all / this.#maxWrites);
  }

  /** The latest time until which items wait. {@link nextSize} is then called again. */
  waitUntil(inFlight: number, oldest: number): number {
    return inFlight > 0 ? oldest + OUTLIER_FACTOR * this.#commitMs : this.#lastEnd + this.#commitMs;
  }
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
