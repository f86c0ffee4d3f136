/** A whole number that an operator may set. */
export interface Limit {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly unit: 'ms' | 'connections';
  /** A sentence for a document or a command's help. */
  readonly meaning: string;
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
