/** The limits of a group commit and their defaults. Times are in milliseconds. */
export const groupCommitLimits = {
  /** Until an item or a check settles. 2 s: a commit takes milliseconds, so a client is then better served by an error. */
  timeoutMs: 2_000,
  /** Items of a batch. 500: larger batches do not lower the cost per item, and each item waits longer. */
  maxBatch: 500,
  /** Size of a batch in the units of `measure`, such as UTF-16 code units of text. A larger item is written alone. */
  maxBatchSize: 4 * 1024 * 1024,
  /** Callers that wait for a result. 2,000, four batches: further ones are better rejected at once. */
  maxWaiting: 2_000,
  /** How long the oldest item may wait for its first write until others are rejected. 500 ms: longer than the pauses of a healthy disk. */
  maxWaitMs: 500,
  /** Batches that are written at once. 2: one is prepared here while the server commits the other. */
  maxWrites: 2,
};

/** Limits by option name: whole numbers from 1 to the longest timeout of Node's timers, 24 days. Node fires longer ones at once. */
export type Limits<Defaults = typeof groupCommitLimits> = { readonly [Name in keyof Defaults]: number };

/** The limits of a group commit as options. Each may be omitted. */
export type GroupCommitLimits = Partial<Limits>;

/**
 * Validates limits, and fills in the defaults.
 * @throws {RangeError} that names the first limit that is out of range.
 */
export function parseLimits<Table extends Limits<Table>>(
  defaults: Table,
  given: Partial<Limits<Table>>,
): Limits<Table> {
  const entries = Object.entries<number>(defaults).map(([name, byDefault]) => {
    const value = given[name as keyof Table] ?? byDefault;
    if (!Number.isInteger(value) || value < 1 || value > MAX)
      throw new RangeError(`${name} is ${value}; expected a whole number from 1 to ${MAX}`);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

const MAX = 2 ** 31 - 1;
