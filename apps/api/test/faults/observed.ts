import type { Result } from './client.ts';
import type { SentPlant } from './plants.ts';

/** The results of requests, and what is stored. */
export interface Recorded {
  readonly results: readonly Result[];
  /** The results of the retries after the repair, of everything that the store had not decided. */
  readonly again: readonly Result[];
  /** What is stored in the end, by id. */
  readonly stored: ReadonlyMap<number, SentPlant>;
}

/** When a fault began and ended. Times are those of `performance.now()`, in milliseconds. */
export interface Lasted {
  readonly begunAt: number;
  readonly repairedAt: number;
}

/** Observations during a fault of PostgreSQL. */
export interface Observed extends Recorded, Lasted {
  /** Attempts at the store, in total and between the fault and its repair. */
  readonly attempts: number;
  readonly attemptsInFault: number;
  /** Statements without plants, a second. */
  readonly probeStatementsPerSecond: number;
  /** Undefined if the server never responded. */
  readonly mostBackends: number | undefined;
  /** What `/readyz` said from a second after the fault began until it was repaired. */
  readonly ready: readonly number[];
}
