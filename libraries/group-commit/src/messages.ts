/** The messages of thrown errors. */
export interface Messages<K> {
  timedOut(ms: number): string;
  /**
   * @param waiting the queue length.
   * @param waitedMs how long the oldest item of the queue has waited, in milliseconds.
   */
  overloaded(waiting: number, waitedMs: number): string;
  /** @param keys the keys, at least one, that conflicted until the deadline. */
  unsettled(keys: readonly K[]): string;
  readonly closed: string;
}

/** Messages for any engine. */
export const defaultMessages: Messages<unknown> = {
  timedOut: (ms) => `the engine did not respond within ${ms} ms`,
  overloaded: (waiting, waitedMs) => `${waiting} items are waiting for the engine, the oldest for ${waitedMs} ms`,
  unsettled: (keys) => `conflicting until the deadline: ${keys.slice(0, 3).join(', ')}${keys.length > 3 ? ', …' : ''}`,
  closed: 'the engine is closed',
};
