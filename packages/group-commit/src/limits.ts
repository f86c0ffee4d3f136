/** The limits of a group-commit store. Each is a whole number from 1 upwards; times are in milliseconds. */
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
   * The most adds that wait for a commit; any more throw {@link StoreOverloaded} at once.
   * {@link DEFAULT_MAX_WAITING} by default.
   */
  readonly maxWaiting?: number;

  /**
   * The longest that an add may have to wait for those before it, beyond what a write takes in any case. One that would
   * wait longer throws {@link StoreOverloaded} at once, so the store's own speed is the bound, whatever it is.
   * {@link DEFAULT_MAX_WAIT_MS} by default.
   */
  readonly maxWaitMs?: number;

  /**
   * The most batches that are written at once. Batches whose adds have all timed out do not count: they go on, and the next ones
   * begin beside them. So 1 is not a lock. {@link DEFAULT_MAX_WRITES} by default.
   */
  readonly maxWrites?: number;
}

/** The limits with every default filled in. */
export type CompleteLimits = Required<GroupCommitLimits>;

/** 2 s: a commit takes milliseconds, so after that a client is better served by a response that says «try again». */
export const DEFAULT_TIMEOUT_MS = 2_000;

/** 500: in larger batches a plant costs no less, and each client waits for more neighbours. */
const DEFAULT_MAX_BATCH = 500;

/** 4 Mi code units: larger statements store no more text per second. */
const DEFAULT_MAX_BATCH_TEXT = 4 * 1024 * 1024;

/** 2,000, four batches: whatever comes behind them is better refused at once. */
const DEFAULT_MAX_WAITING = 2_000;

/** 200 ms: hardly noticed by a client, and a queue that takes longer does not get shorter by itself. */
const DEFAULT_MAX_WAIT_MS = 200;

/** 2: one is prepared here while the server commits the other. */
const DEFAULT_MAX_WRITES = 2;

/**
 * Fills in the defaults.
 * @throws {RangeError} when a limit is out of its range, or has its former name.
 */
export function completeLimits(limits: GroupCommitLimits): CompleteLimits {
  // For one release: an unknown key would be ignored, and with it the limit that somebody has chosen.
  if ('answerWithinMs' in limits) throw new RangeError('answerWithinMs is now timeoutMs; rename the option');
  if ('maxWaitingText' in limits) throw new RangeError('maxWaitingText is no longer an option; remove it');
  return assertInRange({
    timeoutMs: limits.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxBatch: limits.maxBatch ?? DEFAULT_MAX_BATCH,
    maxBatchText: limits.maxBatchText ?? DEFAULT_MAX_BATCH_TEXT,
    maxWaiting: limits.maxWaiting ?? DEFAULT_MAX_WAITING,
    maxWaitMs: limits.maxWaitMs ?? DEFAULT_MAX_WAIT_MS,
    maxWrites: limits.maxWrites ?? DEFAULT_MAX_WRITES,
  });
}

/**
 * Returns the limits if each is a whole number from 1 to what a timer can take.
 * @throws {RangeError} that names the first one that is not.
 */
export function assertInRange<Limits extends object>(limits: Limits): Limits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isInteger(value) || value < 1 || value > MAX_TIMER_MS)
      throw new RangeError(`${name} is ${value}; expected a whole number from 1 to ${MAX_TIMER_MS}`);
  }
  return limits;
}

/** The longest that Node's timers take, 24 days; they fire at once for anything longer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
