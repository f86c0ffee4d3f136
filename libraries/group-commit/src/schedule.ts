import { Batch, type Item } from './batch.ts';
import type { BatchSize } from './batch-size.ts';
import type { groupCommitLimits, LimitsOf } from './limits.ts';
import { type Alarm, alarm, type Platform } from './platform.ts';
import type { Queue } from './queue.ts';
import { type WriteTiming, writeTiming } from './write-timing.ts';

/** Decides which items are written when, and has the items in flight. */
export class Schedule<T, K, R> {
  /** The batches with callers that still wait, oldest first. */
  #batches: readonly Batch<T, K, R>[] = [];
  #isDeferred = false;
  #isClosing = false;
  readonly #timing: WriteTiming;
  readonly #alarm: Alarm;
  readonly #queue: Queue<T, K, R>;
  readonly #batchSize: BatchSize;
  readonly #maxWrites: number;
  readonly #platform: Platform;
  readonly #write: (batch: Batch<T, K, R>) => Promise<void>;

  /** @param write writes a batch until every item is settled or queued again. Calls {@link written} in between. */
  constructor(
    queue: Queue<T, K, R>,
    batchSize: BatchSize,
    { maxWrites, maxWaitMs }: LimitsOf<typeof groupCommitLimits>,
    platform: Platform,
    write: (batch: Batch<T, K, R>) => Promise<void>,
  ) {
    this.#timing = writeTiming(maxWrites, maxWaitMs / 20);
    this.#alarm = alarm(platform, () => this.#writeDue(), true);
    this.#queue = queue;
    this.#batchSize = batchSize;
    this.#maxWrites = maxWrites;
    this.#platform = platform;
    this.#write = write;
  }

  get itemsInFlight(): readonly Item<T, K, R>[] {
    return this.#batches.flatMap(({ items }) => items);
  }

  /** An item was queued. */
  arrived(): void {
    this.#timing.arrived(this.#platform.now());
    if (this.#writing.length < this.#maxWrites) this.wake();
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
    this.#alarm.cancel();
    this.#writeDue();
  }

  get #writing(): readonly Batch<T, K, R>[] {
    return this.#batches.filter(({ isWriting }) => isWriting);
  }

  #writeDue(): void {
    for (let writing = this.#writing; writing.length < this.#maxWrites; writing = this.#writing) {
      const { length } = this.#queue.items;
      if (length === 0) return;
      const now = this.#platform.now();
      const inFlight = writing.reduce((sum, { size }) => sum + size, 0);
      const oldest = writing[0]?.began ?? now;
      const isFull = length >= this.#batchSize.max || this.#isClosing;
      const size = isFull ? this.#batchSize.max : this.#timing.nextSize(length, inFlight, oldest, now);
      if (size === 0) {
        const until = this.#timing.waitUntil(inFlight, oldest);
        // The alarm would take longer than that. Beside a write it may, because the end of the write also comes here.
        if (inFlight === 0 && until - now < 1) this.wake();
        else this.#alarm.set(until);
        return;
      }
      const batch = new Batch(this.#queue.take(size), now);
      this.#batches = [...this.#batches, batch];
      void this.#write(batch).then(() => {
        this.#batches = this.#batches.filter((each) => each !== batch);
      });
    }
  }
}
