/** The range and default of an option that is a whole number. */
export interface Limit {
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

/** Limits by option name. The options' types and their validation are derived from them. */
export type Limits = Readonly<Record<string, Limit>>;

/** The limits as options. Each may be omitted. */
export type GivenLimits<Table extends Limits> = { readonly [Name in keyof Table]?: number };

/** The limits with the defaults filled in. */
export type LimitsOf<Table extends Limits> = { readonly [Name in keyof Table]: number };

/**
 * Validates the options and fills in the defaults.
 * @throws {RangeError} that names the first limit that is out of range.
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

/** The range from 1 to the longest timeout of Node's timers, 24 days. Node fires longer ones at once. */
export const positive = { min: 1, max: 2 ** 31 - 1 } as const satisfies Partial<Limit>;

/** The limits of a group commit. */
export const groupCommitLimits = {
  /**
   * Maximum time in milliseconds until an item or a check settles. 2 s: a commit takes milliseconds, so after that a client is
   * better served by an error that it can retry.
   */
  timeoutMs: { ...positive, default: 2_000 },

  /** Maximum items of a batch. 500: larger batches do not lower the cost per item, and each item waits longer. */
  maxBatch: { ...positive, default: 500 },

  /**
   * Maximum size of a batch in the units of `sizeOf`, such as UTF-16 code units of text. A larger item is written alone. 4 Mi:
   * larger statements store no more per second. An item of which `maxBatch` exceed it is rejected if it fits
   * neither into the next batch nor into half of `maxWaitMs`, so that large items leave room for small ones.
   */
  maxBatchSize: { ...positive, default: 4 * 1024 * 1024 },

  /** Maximum queue length. 2,000, four batches: further items are better rejected at once. */
  maxWaiting: { ...positive, default: 2_000 },

  /**
   * Items are rejected once the oldest in the queue has waited this many milliseconds, because they arrive faster than they are
   * written. It must exceed the duration of a write. 500 ms: longer than the pauses of a healthy disk, and short enough that
   * with the other defaults queued items are still written within `timeoutMs`.
   */
  maxWaitMs: { ...positive, default: 500 },

  /**
   * Maximum concurrent writes. Writes whose items have all timed out do not count: they continue while the next ones start, so 1
   * is not a lock. 2: one batch is prepared here while the server commits the other.
   */
  maxWrites: { ...positive, default: 2 },
} as const satisfies Limits;

/** The limits of a group commit as options. */
export type GroupCommitLimits = GivenLimits<typeof groupCommitLimits>;
