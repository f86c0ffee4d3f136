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
export function parseLimits<Table extends Limits>(table: Table, given: GivenLimits<Table>): LimitsOf<Table> {
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

/** The limits of a group commit. Times are in milliseconds. */
export const groupCommitLimits = {
  /** Until an item or a check settles. 2 s: a commit takes milliseconds, so a client is then better served by an error. */
  timeoutMs: { ...positive, default: 2_000 },
  /** Items of a batch. 500: larger batches do not lower the cost per item, and each item waits longer. */
  maxBatch: { ...positive, default: 500 },
  /** Size of a batch in the units of `sizeOf`, such as UTF-16 code units of text. A larger item is written alone. */
  maxBatchSize: { ...positive, default: 4 * 1024 * 1024 },
  /** Callers that wait for a result. 2,000, four batches: further ones are better rejected at once. */
  maxWaiting: { ...positive, default: 2_000 },
  /** How long the oldest item may wait for its first write until others are rejected. 500 ms: longer than the pauses of a healthy disk. */
  maxWaitMs: { ...positive, default: 500 },
  /** Batches that are written at once. 2: one is prepared here while the server commits the other. */
  maxWrites: { ...positive, default: 2 },
} as const satisfies Limits;

/** The limits of a group commit as options. */
export type GroupCommitLimits = GivenLimits<typeof groupCommitLimits>;
