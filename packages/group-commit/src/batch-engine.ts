import type { ErrorClasses } from './errors.ts';
import type { Messages } from './messages.ts';

/**
 * The outcome of one item of a batch:
 * - `done`: it was written, and this is its result.
 * - `refused`: the engine refuses this very item with this error. Nothing else of the batch is affected.
 * - `conflict`: somebody else has locked its key, or the key is taken. {@link BatchEngine.settle} finds out its outcome.
 *
 * A frequent outcome can be a constant.
 */
export type Outcome<R> = Done<R> | Refused | 'conflict';

/** Written, with its result. */
export interface Done<R> {
  readonly done: R;
}

/** Refused for its own sake. */
export interface Refused {
  readonly refused: Error;
}

/**
 * What writes the items; {@link groupCommit} calls it. Nothing here queues, retries or counts. Deadlines are times of
 * `performance.now()`, or of the platform's own clock.
 */
export interface BatchEngine<T, R> {
  /**
   * Writes items, whose keys all differ, with one commit. Up to `maxWrites` calls are in flight at once, beside those
   * whose callers have all gone. If looking for a key and writing it are two operations, this method has to serialize
   * batches itself.
   *
   * @returns the outcome of each item, in their order, once the commit is as durable as the engine promises.
   * @throws {Unavailable} if the outcome is unknown.
   * @throws {Error} anything else if nothing was written; every item of the batch is rejected with it.
   */
  write(items: readonly T[], deadline: number): Promise<readonly Outcome<R>[]>;

  /**
   * Finds out the outcomes of items that conflict, while other batches are written. If the key of an item is free by now,
   * this method writes the item. If somebody else has locked the key, it must not wait: the item has the outcome `conflict`,
   * and this method is called again after a pause, until the deadline. Omit it if no outcome is a `conflict`.
   *
   * @returns the outcome of each item, in their order.
   * @throws {Unavailable} if the engine cannot answer.
   */
  settle?(items: readonly T[], deadline: number): Promise<readonly Outcome<R>[]>;

  /**
   * Resolves if the engine could write an item now, without writing one. It need not watch the time.
   *
   * @throws {Unavailable} if it could not. After an {@link Unsafe} error items are refused until it resolves.
   */
  probe(): Promise<void>;

  /** Frees what the engine holds. All callers have got their answers by then; calls that timed out may still run. */
  close(): Promise<void>;

  /**
   * Whether a circuit breaker refuses items at once while the engine cannot answer. True by default. `false` suits an
   * engine that fails without delay, and that waits only for what is usually over soon, such as a lock: there, items are
   * better tried until their deadlines.
   */
  readonly hasCircuitBreaker?: boolean;

  /** Whether an error of the methods above is worth a retry at once. Never by default. */
  isTransient?(error: unknown): boolean;
}

/** What {@link groupCommit} has to know about the items. */
export interface ItemSpec<T, K, R> {
  /** Of items with equal keys (as in a Map) a batch has one, the first. */
  keyOf(item: T): K;
  /** What the item counts towards `maxBatchSize`. 0 by default. */
  sizeOf?(item: T): number;
  /** A copy, if the caller may change its object while it waits. The item itself by default. */
  snapshot?(item: T): T;
  /** What a later item of the same key in the batch gets: the `result` of the first one itself by default. */
  repeat?(result: R, first: T): R;
  /** The classes of what is thrown. The package's own by default. */
  readonly errors?: ErrorClasses;
  /** The words of what is thrown. Neutral ones by default. */
  readonly messages?: Messages<K>;
}
