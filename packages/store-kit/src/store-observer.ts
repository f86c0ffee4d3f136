import type { GroupCommitEvents } from '@plant-store/group-commit';

/**
 * Receives the events of a store, for metrics. No argument identifies a plant. Its methods must not throw. They are called as
 * methods, so an observer may be an instance of a class.
 *
 * - **PR-21** [`observed`] The figures MUST be right. Before an add returns, it MUST be counted in exactly one write that
 *   was `done`; adds of one id that are written together MAY count as one plant. A write that failed MUST be counted
 *   as `failed` with all its plants, even if some of them are written again. A plant that the store rejects (PR-16) counts
 *   in the last write that it was part of, whatever became of the others. An add that was part of no write, because it was
 *   refused at once or waited too long, is not counted. While nothing fails, no failed write and no retry MUST be counted.
 *   Once nothing is in flight, no add waits. A circuit opens and closes in turn, and MUST be closed within 5 s after adds
 *   succeed again: it may be that of a part of the store.
 */
export interface StoreObserver extends Required<GroupCommitEvents> {
  /** Called once by a store that has a pool of connections. */
  watchConnections(connections: () => ConnectionFigures): void;
  /** Called with the size of the store's own write-ahead log in bytes, once a second while it writes. Only stores in files call it. */
  logSize?(bytes: number): void;
}

/** The connections of a pool. */
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
  watchWaiting() {},
  wrote() {},
  watchConnections() {},
  retried() {},
  circuit() {},
};
