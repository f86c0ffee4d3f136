import type { ErrorClasses } from './errors.ts';
import type { Messages } from './messages.ts';

/**
 * The outcome of one item of a batch:
 * - `done`: the item was written, with this result.
 * - `refused`: the engine rejects this item with this error. The other items of the batch are not affected.
 * - `conflict`: another transaction has locked the key, or the key is taken. {@link BatchEngine.settle} determines the outcome.
 *
 * A frequent outcome can be a shared constant.
 */
export type Outcome<R> = Done<R> | Refused | 'conflict';

/** The outcome of an item that was written. */
export interface Done<R> {
  readonly done: R;
}

/** The outcome of an item that the engine rejects. */
export interface Refused {
  readonly refused: Error;
}

/**
 * The port that writes batches; {@link groupCommit} calls it. It needs no queue, retries or metrics. Deadlines are times of
 * `performance.now()`, or of the platform's own clock. The contract in `src/contract` checks each clause under the same number.
 */
export interface BatchEngine<T, R> {
  /**
   * Writes items with distinct keys in one commit. Up to `maxWrites` calls are in flight at once, plus calls whose callers have
   * all timed out. If it reads a key before it writes it, it must serialize its batches itself.
   * - **GE-1** It MUST return one outcome for each item, in their order.
   * - **GE-2** An item that is done MUST be stored, as durably as the engine promises.
   * - **GE-3** An error other than {@link Unavailable} MUST mean that nothing was written.
   * - **GE-4** An item that the engine rejects MUST have the outcome `refused`, and MUST NOT affect the others.
   * - **GE-5** If sequential batches have the same key, the first item MUST be stored, and the outcomes MUST say so.
   * - **GE-6** If concurrent batches have the same key, one item MUST be stored, and the outcomes MUST say so.
   * - **GE-7** A call that finishes after its deadline MUST NOT change what later calls have written.
   *
   * @throws {Unavailable} if the outcome is unknown. After an {@link Unsafe} error items are rejected until a probe resolves.
   * @throws {Error} any other error if nothing was written. Every item of the batch is rejected with it.
   */
  write(items: readonly T[], deadline: number): Promise<readonly Outcome<R>[]>;

  /**
   * Determines the outcomes of conflicting items, while other batches are written. It is called again after a pause for items
   * that still conflict, until the deadline. Omit it if no outcome is a `conflict`.
   * - **GE-8** It MUST write items whose keys are now free, and return one outcome for each item, in their order.
   * - **GE-9** This method and `write` MUST NOT wait for a locked key. Only the item with that key conflicts.
   *
   * @throws {Unavailable} if the engine cannot respond.
   */
  settle?(items: readonly T[], deadline: number): Promise<readonly Outcome<R>[]>;

  /**
   * Checks whether the engine could write an item now. It needs no timeout.
   * - **GE-10** It MUST resolve while the engine can write, and write nothing.
   * - **GE-11** It MUST NOT resolve while no item can be written, or none would be durable, and MUST resolve afterwards.
   *
   * @throws {Unavailable} if the engine cannot write. After an {@link Unsafe} error items are rejected until it resolves.
   */
  probe(): Promise<void>;

  /**
   * Frees the engine's resources. All callers have their results by then; calls that timed out may still run.
   * - **GE-12** It MUST resolve although a call has timed out, and end that call.
   * - **GE-13** Afterwards the engine MUST reject calls, and write nothing.
   * - **GE-14** Further calls MUST do nothing.
   */
  close(): Promise<void>;

  /**
   * Whether a circuit breaker rejects items while the engine cannot respond. True by default. Use `false` for an engine that
   * fails fast and otherwise waits only briefly, for example for a lock. Items are then attempted until their deadlines.
   */
  readonly hasCircuitBreaker?: boolean;

  /** Whether to retry at once after this error of `write` or `settle`. Never by default. */
  isTransient?(error: unknown): boolean;
}

/** How {@link groupCommit} handles items. */
export interface ItemSpec<T, K, R> {
  /** The key of an item. A batch contains only the first of the items with equal keys (equal as in a Map). */
  keyOf(item: T): K;
  /** The size of an item, in the units of `maxBatchSize`. 0 by default. */
  sizeOf?(item: T): number;
  /** Copies an item, in case the caller changes its object while it is queued. The item itself by default. */
  snapshot?(item: T): T;
  /** The result of a later item with the same key in a batch. The `result` of the first one by default. */
  repeat?(result: R, first: T): R;
  /** The classes of thrown errors. The package's own by default. */
  readonly errors?: ErrorClasses;
  /** The messages of thrown errors. They name no particular engine by default. */
  readonly messages?: Messages<K>;
}
