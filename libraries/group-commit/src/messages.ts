/** What errors say. */
export interface Messages<K> {
  timedOut(ms: number): string;
  /** @param waiting how many items wait already. */
  overloaded(waiting: number): string;
  /** @param keys those of items that conflicted until their deadline; at least one. */
  unsettled(keys: readonly K[]): string;
  readonly closed: string;
}

/** They fit any engine. */
export const neutralMessages: Messages<unknown> = {
  timedOut: (ms) => `the engine did not respond within ${ms} ms`,
  overloaded: (waiting) => `${waiting} items are waiting for the engine already`,
  unsettled: (keys) => `conflicting until the deadline: ${keys.slice(0, 3).join(', ')}${keys.length > 3 ? ', …' : ''}`,
  closed: 'the engine is closed',
};
