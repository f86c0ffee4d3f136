/** The table `plants` of one contestant, in its own database. */
export interface Table {
  /** Its `DATABASE_URL`. */
  readonly url: string;
  count(): Promise<number>;
  /** Flushes pending writes, so that they do not disturb the next measurement. */
  settle(): Promise<void>;
  /** Drops it and its database. */
  drop(): Promise<void>;
}
