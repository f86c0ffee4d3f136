import { type Entry, isAwaited } from './entries.ts';
import type { groupCommitLimits, LimitsOf } from './limits.ts';

/** The entries that wait for a write, in the order of their arrival. */
export class Queue<T, K, R> {
  // An array, because the tables of a Map or Set with many changes keep their former contents alive in the old generation.
  #entries: Entry<T, K, R>[] = [];
  /** The maximum items of a batch, which are fewer while batches take long. */
  #maxBatch: number;
  readonly #limits: LimitsOf<typeof groupCommitLimits>;
  readonly #now: () => number;

  constructor(limits: LimitsOf<typeof groupCommitLimits>, now: () => number) {
    this.#maxBatch = limits.maxBatch;
    this.#limits = limits;
    this.#now = now;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** How long the first entry has been in the queue, in milliseconds. */
  get waitedMs(): number {
    const [first] = this.#entries;
    return first ? this.#now() - first.queuedAt : 0;
  }

  /** Adds entries. Those that were written before keep their place, and do not hide how long the others have waited. */
  push(...entries: readonly Entry<T, K, R>[]): void {
    const [first] = this.#entries;
    const last = this.#entries.at(-1);
    const isBehind = entries.every(({ order }) => !last || last.order < order);
    for (const entry of entries) entry.queuedAt = isBehind || !first ? this.#now() : first.queuedAt;
    this.#entries.push(...entries);
    if (!isBehind) this.#entries.sort((a, b) => a.order - b.order);
  }

  /** Takes the oldest entries, within `maxBatch` and `maxBatchSize`, but at least one. */
  take(): readonly Entry<T, K, R>[] {
    let count = 0;
    let size = 0;
    for (const { first } of this.#entries) {
      size += first.size;
      if (count === this.#maxBatch || (count > 0 && size > this.#limits.maxBatchSize)) break;
      count += 1;
    }
    return this.#entries.splice(0, count);
  }

  /**
   * Adapts the size of batches to how long one took, so that slow items are still written in time: more than items may wait halves it,
   * and less than half of that doubles it.
   */
  adapt(items: number, tookMs: number): void {
    const { maxBatch, maxWaitMs } = this.#limits;
    if (tookMs < maxWaitMs / 2) this.#maxBatch = Math.min(maxBatch, 2 * this.#maxBatch);
    else if (tookMs > maxWaitMs && items > MIN_BATCH)
      this.#maxBatch = Math.min(this.#maxBatch, Math.max(MIN_BATCH, Math.ceil(items / 2)));
  }

  /** Forgets entries that nobody waits for. */
  dropExpired(): void {
    this.#entries = this.#entries.filter(isAwaited);
  }
}

/** 8: a batch of fewer items takes long because of its commit, which smaller ones would only multiply. */
const MIN_BATCH = 8;
