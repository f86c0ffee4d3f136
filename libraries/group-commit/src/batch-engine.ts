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
 * `performance.now()`, or of the platform's own clock. The numbers are those of the contract in `src/contract`.
 */
export interface BatchEngine<T, R> {
  /**
   * Writes items, whose keys all differ, with one commit. Up to `maxWrites` calls are in flight at once, beside those
   * whose callers have all gone. If looking for a key and writing it are two operations, this method has to serialize
   * batches itself.
   * - **GE-1** It MUST return one outcome for each item, in their order.
   * - **GE-2** An item that is done MUST be stored, as durably as the engine promises.
   * - **GE-3** An error other than {@link Unavailable} MUST mean that nothing was written.
   * - **GE-4** An item that the engine refuses MUST have the outcome `refused`, and be refused alone.
   * - **GE-5** Of equal keys in batches one after the other the first MUST be stored, and the outcomes MUST say so.
   * - **GE-6** Of equal keys in batches that are in flight together one MUST be stored, and the outcomes MUST say so.
   * - **GE-7** A call that is late, whose caller has gone, MUST change nothing of what later calls have written.
   *
   * @throws {Unavailable} if the outcome is unknown.
   * @throws {Error} anything else if nothing was written; every item of the batch is rejected with it.
   */
  write(items: readonly T[], deadline: number): Promise<readonly Outcome<R>[]>;

  /**
   * Finds out the outcomes of items that conflict, while other batches are written. It is called again after a pause for items
   * that still conflict, until the deadline. Omit it if no outcome is a `conflict`.
   * - **GE-8** It MUST write items whose keys are free by then, and return one outcome for each, in their order.
   * - **GE-9** This method and `write` MUST NOT wait for a key that somebody else has locked. It conflicts alone.
   *
   * @throws {Unavailable} if the engine cannot answer.
   */
  settle?(items: readonly T[], deadline: number): Promise<readonly Outcome<R>[]>;

  /**
   * Looks whether the engine could write an item now. It need not watch the time.
   * - **GE-10** It MUST resolve while the engine can write, and write nothing.
   * - **GE-11** It MUST NOT resolve while no item can be written, or none would be durable, and MUST resolve afterwards.
   *
   * @throws {Unavailable} if it could not. After an {@link Unsafe} error items are refused until it resolves.
   */
  probe(): Promise<void>;

  /**
   * Frees what the engine holds. All callers have got their answers by then; calls that timed out may still run.
   * - **GE-12** It MUST resolve although a call is late, and end that call.
   * - **GE-13** Afterwards the engine MUST reject calls, and write nothing.
   * - **GE-14** Another call MUST do nothing.
   */
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
