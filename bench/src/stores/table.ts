/** The table `plants` of one contestant, in a database of its own. */
export interface Table {
  /** What a service takes as `DATABASE_URL`. */
  readonly url: string;
  count(): Promise<number>;
  /** Fills the empty table with so many plants of random ids. */
  fill(rows: number): Promise<void>;
  /** Writes out what is waiting to be written, so that it does not burden whoever is measured next. */
  settle(): Promise<void>;
  /** Removes it with its database. */
  drop(): Promise<void>;
}
