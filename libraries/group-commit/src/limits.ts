/** A whole number that whoever runs a program may set. */
export interface Limit {
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

/** Limits by the names of their options. The options' types and their validation are made of it. */
export type Limits = Readonly<Record<string, Limit>>;

/** The limits as options: each may be left out. */
export type GivenLimits<Table extends Limits> = { readonly [Name in keyof Table]?: number };

/** The limits with every default filled in. */
export type LimitsOf<Table extends Limits> = { readonly [Name in keyof Table]: number };

/**
 * Fills in the defaults.
 * @throws {RangeError} that names the first limit that is out of its range.
 */
export function limitsOf<Table extends Limits>(table: Table, given: GivenLimits<Table>): LimitsOf<Table> {
  const entries = Object.entries(table).map(([name, { min, max, default: byDefault }]) => {
    const value = given[name] ?? byDefault;
    if (!Number.isInteger(value) || value < min || value > max)
      throw new RangeError(`${name} is ${value}; expected a whole number from ${min} to ${max}`);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

/** From 1 to the longest that Node's timers take, 24 days; they fire at once for anything longer. */
export const positive = { min: 1, max: 2 ** 31 - 1 } as const satisfies Partial<Limit>;

/** The limits of a group commit. */
export const groupCommitLimits = {
  /**
   * The longest time until an item or a check settles, everything included. 2 s: a commit takes milliseconds, so after that
   * a client is better served by a response that says «try again».
   */
  timeoutMs: { ...positive, default: 2_000 },

  /** The most items of a batch. 500: in larger ones an item costs no less, and each client waits for more neighbours. */
  maxBatch: { ...positive, default: 500 },

  /**
   * The most that a batch has in the units of `sizeOf`, such as UTF-16 code units of text. An item with more is written
   * alone. 4 Mi: larger statements store no more per second.
   */
  maxBatchSize: { ...positive, default: 4 * 1024 * 1024 },

  /** The most items that wait. 2,000, four batches: whatever comes behind them is better refused at once. */
  maxWaiting: { ...positive, default: 2_000 },

  /**
   * If the oldest item of the queue has waited for so long, items are refused: they come faster than the engine writes. A
   * write has to take less. 500 ms: longer than a healthy disk pauses, and with the other limits as they are, what was
   * admitted is still written within `timeoutMs`.
   */
  maxWaitMs: { ...positive, default: 500 },

  /**
   * The most batches that are written at once. Those whose items have all timed out do not count: they go on, and the next
   * ones begin beside them, so 1 is not a lock. 2: one is prepared here while the server commits the other.
   */
  maxWrites: { ...positive, default: 2 },
} as const satisfies Limits;

/** The limits as options. */
export type GroupCommitLimits = GivenLimits<typeof groupCommitLimits>;

/** How long a store may take with default settings. */
export const DEFAULT_TIMEOUT_MS: number = groupCommitLimits.timeoutMs.default;
