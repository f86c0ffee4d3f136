import { Batch, type Item } from './batch.ts';
import { alarm, type Platform } from './platform.ts';
import type { Queue } from './queue.ts';
import { writeTiming } from './write-timing.ts';

/** Decides which items are written when, and has the items in flight. */
export class Schedule<T, K, R> {
  /** The batches with callers that still wait, oldest first. */
  #batches: readonly Batch<T, K, R>[] = [];
  #isDeferred = false;
  #isClosing = false;
  readonly #timing: ReturnType<typeof writeTiming>;
  readonly #setAlarm: (time: number) => void;
  readonly #queue: Queue<T, K, R>;
  readonly #platform: Platform;
  readonly #write: (batch: Batch<T, K, R>) => Promise<void>;

  /** @param write writes a batch until every item is settled or queued again. Calls {@link written} in between. */
  constructor(queue: Queue<T, K, R>, platform: Platform, write: (batch: Batch<T, K, R>) => Promise<void>) {
    this.#timing = writeTiming(queue.limits.maxWrites, queue.limits.maxWaitMs / 4);
    this.#setAlarm = alarm(platform, () => this.#writeDue(), true);
    this.#queue = queue;
    this.#platform = platform;
    this.#write = write;
  }

  get itemsInFlight(): readonly Item<T, K, R>[] {
    return this.#batches.flatMap(({ items }) => items);
  }

  /** An item was queued. */
  arrived(now: number): void {
    this.#timing.arrived(now);
    if (this.#writing.length < this.#queue.limits.maxWrites) this.wake();
  }

  /** Writes what is due, after the input that has already arrived is processed. */
  wake(): void {
    if (this.#isDeferred) return;
    this.#isDeferred = true;
    this.#platform.defer(() => {
      this.#isDeferred = false;
      this.#writeDue();
    });
  }

  /** The write of a batch has ended. @param committed the number of items that got a result by a commit. */
  written(batch: Batch<T, K, R>, committed: number): void {
    batch.isWriting = false;
    if (committed > 0) this.#timing.committed(committed, batch.began, this.#platform.now());
    this.#writeDue();
  }

  /** Callers have timed out. Writes without callers continue, but no longer delay the next one. */
  dropSettled(): void {
    this.#batches = this.#batches.filter(({ isAwaited }) => isAwaited);
    this.#writeDue();
  }

  /** From now on no item waits for others. */
  close(): void {
    this.#isClosing = true;
    this.#writeDue();
  }

  get #writing(): readonly Batch<T, K, R>[] {
    return this.#batches.filter(({ isWriting }) => isWriting);
  }

  #writeDue(): void {
    for (let batch = this.#next(); batch; batch = this.#next()) void this.#run(batch);
  }

  /** Takes what is due off the queue. Undefined if nothing is, or if it is better to wait for more items. */
  #next(): Batch<T, K, R> | undefined {
    const { items, limits, batchSize } = this.#queue;
    const writing = this.#writing;
    if (items.length === 0 || writing.length >= limits.maxWrites) return undefined;
    const now = this.#platform.now();
    const inFlight = writing.reduce((sum, { size }) => sum + size, 0);
    const oldest = writing[0]?.began ?? now;
    const isFull = items.length >= batchSize.max || this.#isClosing;
    const size = isFull ? batchSize.max : this.#timing.nextSize(items.length, inFlight, oldest, now);
    if (size > 0) return new Batch(this.#queue.take(size), now, now + limits.timeoutMs);
    const until = this.#timing.waitUntil(inFlight, oldest);
    // The alarm would take longer than a millisecond. Beside a write it may, because the end of the write wakes as well.
    if (inFlight === 0 && until - now < 1) this.wake();
    else this.#setAlarm(until);
    return undefined;
  }

  async #run(batch: Batch<T, K, R>): Promise<void> {
    this.#batches = [...this.#batches, batch];
    await this.#write(batch);
    this.#batches = this.#batches.filter((each) => each !== batch);
  }
}
