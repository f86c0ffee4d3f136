import type { ErrorClasses } from './errors.ts';

/**
 * What an error means for the items that it was given for:
 * - `refused`: the engine rejects one of them.
 * - `locked`: another writer has locked the key of one of them.
 * - `transient`: they may be written if they are tried again.
 * - `other`: anything else.
 */
export type Failure = 'refused' | 'locked' | 'transient' | 'other';

/** The port that writes batches; `groupCommit` calls it. It needs no queue, retries or metrics. */
export interface BatchEngine<T, R> {
  /**
   * Writes items with distinct keys. Up to `maxWrites` batches are in flight, and beside them one item that was locked. There may be more
   * calls at once: one for each part of a batch, as below, and those that timed out. An engine with fewer connections lets calls wait.
   *
   * An item whose error is `refused` or `locked` was not stored by this call. If more than one item was written, such items are written
   * again in four parts, at the same time unless `maxWrites` is 1, down to one item. An item that was written alone is rejected if it is
   * refused, and tried again if it is locked.
   *
   * @param deadline a time of the platform's clock, after which no caller waits. The call should end then.
   * @returns for each item, in their order, its result or an error.
   * @throws {Error} if nothing is known of any item. It counts as the error of each.
   */
  write(items: readonly T[], deadline: number): Promise<readonly (R | Error)[]>;

  /**
   * Checks whether a write would now be durable. Nothing of it remains. One call that is in time is in flight at once.
   *
   * @param deadline a time of the platform's clock, after which the engine counts as failed. The call should end then.
   * @throws {Error} the reason if it could not.
   */
  probe(deadline: number): Promise<void>;

  /** Frees the engine's resources. All callers have their results by then, and calls that timed out may still run. */
  close(): Promise<void>;

  /** What an error of `write` or `probe` means. `other` by default. */
  classify?(error: Error): Failure;
}

/** How `groupCommit` handles items. */
export interface ItemSpec<T, K, R> {
  /** The key of an item. Only the first of several items with equal keys is written (equal as in a Map). */
  toKey(item: T): K;
  /** The size of an item, in the units of `maxBatchSize`. 0 by default. */
  measure?(item: T): number;
  /** Copies an item, in case the caller changes its object while it is queued. The item itself by default. */
  snapshot?(item: T): T;
  /** The result of a later item with the same key. The `result` of the first one by default. */
  repeat?(result: R, first: T): R;
  /** The classes of thrown errors. The package's own by default. */
  readonly errors?: ErrorClasses;
}
