/** The limits within which a store batches adds. Each is a whole number from 1 upwards; times are in milliseconds. */
export interface GroupCommitLimits {
  /**
   * The longest time until an add or a check is answered or throws, everything included. {@link DEFAULT_TIMEOUT_MS} by
   * default.
   */
  readonly timeoutMs?: number;

  /** The most plants that are stored with one commit. {@link DEFAULT_MAX_BATCH} by default. */
  readonly maxBatch?: number;

  /**
   * The most text that is stored with one commit, in UTF-16 code units. A plant with more is stored alone.
   * {@link DEFAULT_MAX_BATCH_TEXT} by default.
   */
  readonly maxBatchText?: number;

  /**
   * The most adds that wait for a commit; those beyond throw {@link StoreOverloaded} at once.
   * {@link DEFAULT_MAX_WAITING} by default.
   */
  readonly maxWaiting?: number;

  /**
   * The most text in the adds that wait for a commit, in UTF-16 code units, for the same reason.
   * {@link DEFAULT_MAX_WAITING_TEXT} by default.
   */
  readonly maxWaitingText?: number;

  /**
   * How long an add may have to wait for those before it, beyond what a write takes in any case; where it would be
   * longer, it throws {@link StoreOverloaded} at once. So the store's own speed is the bound, whatever it is.
   * {@link DEFAULT_MAX_WAIT_MS} by default.
   */
  readonly maxWaitMs?: number;

  /**
   * The most batches that are written at once, not counting those that nobody waits for any more: they go on, and the next
   * ones begin beside them. So 1 is no lock. {@link DEFAULT_MAX_WRITES} by default.
   */
  readonly maxWrites?: number;
}

/** The limits with every default filled in. */
export type CompleteLimits = Required<GroupCommitLimits>;

/** 2 s: a commit takes milliseconds, so after that a client is better served by a response that says «try again». */
export const DEFAULT_TIMEOUT_MS = 2_000;

/** 500: beyond that a plant costs no less, and each client waits for more neighbours. */
const DEFAULT_MAX_BATCH = 500;

/** 4 Mi code units: a statement of some megabytes is as fast a unit as one of any size. */
const DEFAULT_MAX_BATCH_TEXT = 4 * 1024 * 1024;

/** 2,000, four batches: what would stand behind them is better told at once to come back. */
const DEFAULT_MAX_WAITING = 2_000;

/** 64 Mi code units, at most 128 MB, however large the plants are that wait. */
const DEFAULT_MAX_WAITING_TEXT = 64 * 1024 * 1024;

/** 200 ms: whoever waits does not notice much, and a queue that lasts longer does not get shorter by itself. */
const DEFAULT_MAX_WAIT_MS = 200;

/** 2: one is prepared here while the other is committed there. */
const DEFAULT_MAX_WRITES = 2;

/**
 * Fills in the defaults.
 * @throws {RangeError} when a limit is out of its range.
 */
export function completeLimits(limits: GroupCommitLimits): CompleteLimits {
  return assertInRange({
    timeoutMs: limits.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxBatch: limits.maxBatch ?? DEFAULT_MAX_BATCH,
    maxBatchText: limits.maxBatchText ?? DEFAULT_MAX_BATCH_TEXT,
    maxWaiting: limits.maxWaiting ?? DEFAULT_MAX_WAITING,
    maxWaitingText: limits.maxWaitingText ?? DEFAULT_MAX_WAITING_TEXT,
    maxWaitMs: limits.maxWaitMs ?? DEFAULT_MAX_WAIT_MS,
    maxWrites: limits.maxWrites ?? DEFAULT_MAX_WRITES,
  });
}

/**
 * Limits that are whole numbers from 1 upwards and that a timer can take, as they came.
 * @throws {RangeError} that names the first which is not.
 */
export function assertInRange<Limits extends object>(limits: Limits): Limits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isInteger(value) || value < 1 || value > MAX_TIMER_MS)
      throw new RangeError(`${name} is ${value}; expected a whole number from 1 to ${MAX_TIMER_MS}`);
  }
  return limits;
}

/** Node's timers take no more than that, 24 days, and fire at once for anything longer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
