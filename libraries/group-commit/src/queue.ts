import { type Entry, isAwaited } from './entries.ts';
import type { Limits } from './limits.ts';

/** Creates the queue of the entries that wait for a write, in the order of their arrival. */
export function createQueue<T, K, R>({ maxBatch, maxBatchSize, maxWaitMs }: Limits, now: () => number) {
  // An array, because the tables of a Map or Set with many changes keep their former contents alive in the old generation.
  let queue: Entry<T, K, R>[] = [];
  /** The maximum items of a batch, which are fewer while batches take long. */
  let maxItems = maxBatch;

  return {
    get length(): number {
      return queue.length;
    },
    /** How long the first entry has been in the queue, in milliseconds. */
    get waitedMs(): number {
      const [first] = queue;
      return first ? now() - first.queuedAt : 0;
    },
    /** Adds entries. Those that were written before keep their place, and do not hide how long the others have waited. */
    push(entries: readonly Entry<T, K, R>[]): void {
      const [first] = queue;
      const last = queue.at(-1);
      const isBehind = entries.every(({ order }) => !last || last.order < order);
      const queuedAt = isBehind || !first ? now() : first.queuedAt;
      for (const entry of entries) {
        entry.queuedAt = queuedAt;
        queue.push(entry);
      }
      if (!isBehind) queue.sort((a, b) => a.order - b.order);
    },
    /** Takes the oldest entries, within `maxBatch` and `maxBatchSize`, but at least one. */
    take(): readonly Entry<T, K, R>[] {
      let count = 0;
      let size = 0;
      for (const { first } of queue) {
        size += first.size;
        if (count === maxItems || (count > 0 && size > maxBatchSize)) break;
        count += 1;
      }
      return queue.splice(0, count);
    },
    /**
     * Adapts the size of batches to how long one took, so that slow items are still written in time: more than items may wait halves it,
     * and less than half of that doubles it.
     */
    adapt(items: number, tookMs: number): void {
      if (tookMs < maxWaitMs / 2) maxItems = Math.min(maxBatch, 2 * maxItems);
      else if (tookMs > maxWaitMs && items > MIN_BATCH)
        maxItems = Math.min(maxItems, Math.max(MIN_BATCH, Math.ceil(items / 2)));
    },
    /** Forgets entries that nobody waits for. */
    dropExpired(): void {
      queue = queue.filter(isAwaited);
    },
  };
}

/** 8: a batch of fewer items takes long because of its commit, which smaller ones would only multiply. */
const MIN_BATCH = 8;
