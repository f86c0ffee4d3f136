/** Callbacks for metrics and logs. Each is called as a method of its object. It should not throw: a caller may get what it throws. */
export interface GroupCommitEvents {
  /** Called once, with a function that returns the number of callers that wait for a result. */
  watchWaiting?(count: () => number): void;
  /**
   * Called when a write has ended, before its callers get their results: once for the items that are `done`, which have a result or
   * were refused alone, and once for those that `failed`, which may be written again.
   *
   * @param items their number, at least 1.
   * @param seconds the duration of the write.
   */
  wrote?(outcome: 'done' | 'failed', items: number, seconds: number): void;
  /** Called when items will be tried again, because of a transient error or a lock. */
  retried?(): void;
  /** Called with the first probe's error, or undefined if it passed, and whenever a probe fails after one that passed, or the reverse. */
  health?(failure: Error | undefined): void;
}
