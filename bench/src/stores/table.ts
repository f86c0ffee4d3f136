/** The table `plants` of one contestant, in its own database. */
export interface Table {
  /** Its `DATABASE_URL`. */
  readonly url: string;
  count(): Promise<number>;
  /** Fills the empty table with plants of random ids. */
  fill(rows: number): Promise<void>;
  /** Flushes pending writes, so that they do not disturb the next measurement. */
  settle(): Promise<void>;
  /** Drops it and its database. */
  drop(): Promise<void>;
}
