import type { Answer } from './caller.ts';
import type { SentPlant } from './plants.ts';

/** What callers were answered, and what the store has of it. */
export interface Answered {
  readonly answers: readonly Answer[];
  /** The answers to what had not been answered 200, sent again after the repair. */
  readonly again: readonly Answer[];
  /** What is in the store in the end, by id. */
  readonly stored: ReadonlyMap<number, SentPlant>;
}

/** When a fault came and went. Times are those of `performance.now()`, in milliseconds. */
export interface Lasted {
  readonly begunAt: number;
  readonly repairedAt: number;
}

/** What was seen of a fault of PostgreSQL. */
export interface Observed extends Answered, Lasted {
  /** Attempts at the store, all in all and between the fault and its repair. */
  readonly attempts: number;
  readonly attemptsInFault: number;
  /** Undefined where the server never told. */
  readonly mostBackends: number | undefined;
}
