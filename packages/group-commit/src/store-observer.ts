/**
 * Whoever counts and times what a store does. What it is told holds nothing of a plant. It must not throw.
 */
export interface StoreObserver {
  /** Called once, with how many adds wait for a write. */
  watchWaitingAdds(count: () => number): void;
  /** A write of so many plants has ended, well or not, after so many seconds. */
  wrote(outcome: 'stored' | 'failed', plants: number, seconds: number): void;
  /** Called once by a store that has a pool of connections. */
  watchConnections(connections: () => ConnectionFigures): void;
  /** A write failed in a way that passes, and is tried again. */
  retried(): void;
  /** The circuit breaker has opened or closed; it is closed at first. Called once at the beginning, too. */
  circuit(state: 'open' | 'closed'): void;
}

/** How the connections of a pool are used. */
export interface ConnectionFigures {
  readonly used: number;
  readonly idle: number;
  /** How many wait for one. */
  readonly pending: number;
  /** The most that there may be. */
  readonly max: number;
}

/** The observer where nobody counts. */
export const unobserved: StoreObserver = {
  watchWaitingAdds() {},
  wrote() {},
  watchConnections() {},
  retried() {},
  circuit() {},
};
