/**
 * Receives what a store does, for metrics. Nothing that it is given identifies a plant. It must not throw. It may be of a
 * class: its methods are called as methods.
 *
 * - **PR-21** [`observed`] The figures MUST be right. Before an add returns, it MUST be counted in exactly one write that
 *   was `stored`; adds of one id that are written together MAY count as one plant. A write that failed MUST be counted
 *   as `failed` with all its plants, even if some of them are written again. A plant that the store rejects (PR-16) counts
 *   in the last write that it was part of, whatever became of the others. An add that was part of no write, because it was
 *   refused at once or waited too long, is not counted. While nothing fails, no failed write and no retry MUST be counted.
 *   Once nothing is in flight, no add waits. A circuit opens and closes in turn, and MUST be closed within 5 s after adds
 *   succeed again: it may be that of a part of the store.
 */
export interface StoreObserver {
  /** Called once, with a function that returns how many adds wait for a write. */
  watchWaitingAdds(count: () => number): void;
  /** Called when a write has ended, stored or failed, with the number of its plants, and how long it took. */
  wrote(outcome: 'stored' | 'failed', plants: number, seconds: number): void;
  /** Called once by a store that has a pool of connections. */
  watchConnections(connections: () => ConnectionFigures): void;
  /** Called before each retry of a write. */
  retried(): void;
  /** Called when the circuit breaker opens or closes, and once at first, when it is closed; never where there is none. */
  circuit(state: 'open' | 'closed'): void;
}

/** How the connections of a pool are used. */
export interface ConnectionFigures {
  readonly used: number;
  readonly idle: number;
  /** Requests waiting for a connection. */
  readonly pending: number;
  /** The size of the pool. */
  readonly max: number;
}

/** An observer that ignores everything. */
export const unobserved: StoreObserver = {
  watchWaitingAdds() {},
  wrote() {},
  watchConnections() {},
  retried() {},
  circuit() {},
};
