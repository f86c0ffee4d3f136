/** The limits of a group commit. Each is a whole number from 1 upwards; times are in milliseconds. */
export interface GroupCommitLimits {
  /**
   * The longest time until an item or a check is answered or throws, everything included. {@link DEFAULT_TIMEOUT_MS} by
   * default.
   */
  readonly timeoutMs?: number;

  /** The most items that are written with one commit. {@link DEFAULT_MAX_BATCH} by default. */
  readonly maxBatch?: number;

  /**
   * The most that is written with one commit, in the units of `sizeOf`, such as UTF-16 code units of text. An item with
   * more is written alone.
   * {@link DEFAULT_MAX_BATCH_SIZE} by default.
   */
  readonly maxBatchSize?: number;

  /**
   * The most items that wait for a commit; any more throw {@link Overloaded} at once.
   * {@link DEFAULT_MAX_WAITING} by default.
   */
  readonly maxWaiting?: number;

  /**
   * The longest that an item may have to wait for those before it, beyond what a write takes in any case. One that would
   * wait longer throws {@link Overloaded} at once, so the engine's own speed is the bound, whatever it is.
   * {@link DEFAULT_MAX_WAIT_MS} by default.
   */
  readonly maxWaitMs?: number;

  /**
   * The most batches that are written at once. Batches whose items have all timed out do not count: they go on, and the next
   * ones begin beside them. So 1 is not a lock. {@link DEFAULT_MAX_WRITES} by default.
   */
  readonly maxWrites?: number;
}

/** The limits with every default filled in. */
export type CompleteLimits = Required<GroupCommitLimits>;

/** 2 s: a commit takes milliseconds, so after that a client is better served by a response that says «try again». */
export const DEFAULT_TIMEOUT_MS = 2_000;

/** 500: in larger batches an item costs no less, and each client waits for more neighbours. */
const DEFAULT_MAX_BATCH = 500;

/** 4 Mi, measured in code units of text: larger statements store no more per second. */
const DEFAULT_MAX_BATCH_SIZE = 4 * 1024 * 1024;

/** 2,000, four batches: whatever comes behind them is better refused at once. */
const DEFAULT_MAX_WAITING = 2_000;

/** 200 ms: hardly noticed by a client, and a queue that takes longer does not get shorter by itself. */
const DEFAULT_MAX_WAIT_MS = 200;

/** 2: one is prepared here while the server commits the other. */
const DEFAULT_MAX_WRITES = 2;

/**
 * Fills in the defaults.
 * @throws {RangeError} when a limit is out of its range.
 */
export function completeLimits(limits: GroupCommitLimits): CompleteLimits {
  return assertInRange({
    timeoutMs: limits.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxBatch: limits.maxBatch ?? DEFAULT_MAX_BATCH,
    maxBatchSize: limits.maxBatchSize ?? DEFAULT_MAX_BATCH_SIZE,
    maxWaiting: limits.maxWaiting ?? DEFAULT_MAX_WAITING,
    maxWaitMs: limits.maxWaitMs ?? DEFAULT_MAX_WAIT_MS,
    maxWrites: limits.maxWrites ?? DEFAULT_MAX_WRITES,
  });
}

/**
 * Returns the limits if each is a whole number from 1 to what a timer can take.
 * @throws {RangeError} that names the first one that is not.
 */
function assertInRange<Limits extends object>(limits: Limits): Limits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isInteger(value) || value < 1 || value > MAX_TIMER_MS)
      throw new RangeError(`${name} is ${value}; expected a whole number from 1 to ${MAX_TIMER_MS}`);
  }
  return limits;
}

/** The longest that Node's timers take, 24 days; they fire at once for anything longer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
