import { type StoreObserver, unobserved } from '@plant-store/group-commit';

/** Where plants are kept, and how long a caller waits for them. */
export interface SqliteOptions {
  /**
   * The database file. It is made when it is not there, and so are missing parent directories. Several processes of
   * one host may share it; a network file system is no place for it (https://sqlite.org/wal.html, section 2.2).
   */
  readonly path: string;

  /**
   * The longest time, in whole milliseconds, until an add, a check or a migration is answered or throws. From 1
   * upwards; {@link DEFAULT_ANSWER_WITHIN_MS} by default. It is spent waiting for the file while another process writes to it,
   * and for a turn behind earlier adds. A call to the disk itself cannot be cut short.
   */
  readonly timeoutMs?: number;

  /** The most plants that are stored with one commit, from 1 upwards. {@link DEFAULT_MAX_BATCH} by default. */
  readonly maxBatch?: number;

  /**
   * The most adds that wait for a commit, from 1 upwards; those beyond throw {@link StoreUnavailable} at once.
   * {@link DEFAULT_MAX_WAITING} by default.
   */
  readonly maxWaiting?: number;

  /**
   * How long an add may have to wait for those before it, beyond what a write takes in any case; where it would be
   * longer, it throws {@link StoreOverloaded} at once. From 1 upwards; {@link DEFAULT_MAX_WAIT_MS} by default.
   */
  readonly maxWaitMs?: number;

  /** Told of what the store does, for metrics. By default nobody is. */
  readonly observer?: StoreObserver;
}

/**
 * 2 s: a commit takes milliseconds, so a file that stays locked for that long is held by something that does not mean
 * to let go, and a client is better served by an answer that tells it to come back.
 */
export const DEFAULT_ANSWER_WITHIN_MS = 2_000;

/** 500: beyond that a plant costs no less, and the process does nothing else while they are written. */
const DEFAULT_MAX_BATCH = 500;

/** 2,000, four batches: what would stand behind them is better told at once to come back. */
const DEFAULT_MAX_WAITING = 2_000;

/** 200 ms: whoever waits does not notice much, and a queue that lasts longer does not get shorter by itself. */
const DEFAULT_MAX_WAIT_MS = 200;

/**
 * The options with every default filled in.
 * @throws {RangeError} when one is out of its range.
 */
export function completeOptions(options: SqliteOptions): Required<SqliteOptions> {
  const limits = {
    timeoutMs: options.timeoutMs ?? DEFAULT_ANSWER_WITHIN_MS,
    maxBatch: options.maxBatch ?? DEFAULT_MAX_BATCH,
    maxWaiting: options.maxWaiting ?? DEFAULT_MAX_WAITING,
    maxWaitMs: options.maxWaitMs ?? DEFAULT_MAX_WAIT_MS,
  };
  if (options.path === '') throw new RangeError('path is empty; give the path of the SQLite file');
  for (const [name, value] of Object.entries(limits)) {
    if (!(Number.isInteger(value) && value >= 1))
      throw new RangeError(`${name} is ${value}; give a whole number from 1 upwards`);
  }
  return { path: options.path, ...limits, observer: options.observer ?? unobserved };
}
