import type { Item } from './batch.ts';
import { batchSize } from './batch-size.ts';
import type { groupCommitLimits, LimitsOf } from './limits.ts';

/** The items that wait for a write, oldest first. */
export class Queue<T, K, R> {
  // An array, because the tables of a Map or Set with many changes keep one another and their former contents alive in the old
  // generation.
  #items: Item<T, K, R>[] = [];
  readonly batchSize: ReturnType<typeof batchSize>;
  readonly limits: LimitsOf<typeof groupCommitLimits>;
  readonly #now: () => number;

  constructor(limits: LimitsOf<typeof groupCommitLimits>, now: () => number) {
    this.batchSize = batchSize(limits.maxBatch, limits.maxWaitMs / 2);
    this.limits = limits;
    this.#now = now;
  }

  get items(): readonly Item<T, K, R>[] {
    return this.#items;
  }

  /** How long the oldest item has waited, in milliseconds. */
  get waitedMs(): number {
    const [oldest] = this.#items;
    return oldest ? this.#now() - oldest.deadline + this.limits.timeoutMs : 0;
  }

  /**
   * Whether the queue is full, or so slow that an item of this size would wait too long. With reduced batches, a write takes up to half
   * of `maxWaitMs`, so the queue holds as many items as are written in time: in an overload 26 % more of them are.
   */
  isOverloaded(size: number): boolean {
    const { maxBatch, maxBatchSize, maxWaiting, maxWaitMs, maxWrites } = this.limits;
    const { max } = this.batchSize;
    if (this.#items.length === 0) return false;
    if (size * maxBatch > maxBatchSize && this.#isCrowded(size)) return true;
    const limit = max < maxBatch ? Math.min(maxWaiting, 2 * maxWrites * max) : maxWaiting;
    return this.#items.length >= limit || this.waitedMs >= maxWaitMs;
  }

  /** Whether an item of this size fits neither into the next batch nor into half of `maxWaitMs`, at the pace of the latest write. */
  #isCrowded(size: number): boolean {
    const { maxBatchSize, maxWaitMs, maxWrites } = this.limits;
    const bySize = this.#items.reduce((sum, item) => sum + item.size, size) / maxBatchSize;
    const batchesNeeded = Math.ceil(Math.max(bySize, (this.#items.length + 1) / this.batchSize.max));
    return batchesNeeded > 1 && (batchesNeeded * this.batchSize.latestMs) / maxWrites > maxWaitMs / 2;
  }

  push(item: Item<T, K, R>): void {
    this.#items.push(item);
  }

  /** Puts items back in the order of their age, because {@link waitedMs} looks at the first item. */
  putBack(items: readonly Item<T, K, R>[]): void {
    this.#items = [...items, ...this.#items].toSorted((a, b) => a.deadline - b.deadline);
  }

  /** Takes the oldest items, at most `max` and within `maxBatchSize`, but at least one. */
  take(max: number): readonly Item<T, K, R>[] {
    let [count, size] = [0, 0];
    for (const item of this.#items) {
      size += item.size;
      if (count === max || (count > 0 && size > this.limits.maxBatchSize)) break;
      count += 1;
    }
    return this.#items.splice(0, count);
  }

  dropSettled(): void {
    this.#items = this.#items.filter(({ isSettled }) => !isSettled);
  }
}
