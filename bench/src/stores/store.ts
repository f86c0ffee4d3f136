/** Where tables are created during a run. */
export interface Store {
  /** For the report: the server, its version and the settings for the durability of commits. */
  readonly description: string;
  /** Whether this run started it, so that its syncs can take longer. */
  readonly isOurs: boolean;
  /** Creates an empty table in its own database, with the service's migrations whichever contestant uses it. */
  newTable(): Promise<Table>;
  stop(): Promise<void>;
}

/** The table `plants` of one contestant; disposing of it drops its database. */
export interface Table extends AsyncDisposable {
  /** Its `DATABASE_URL`. */
  readonly url: string;
  count(): Promise<number>;
  /** Flushes pending writes, so that they do not disturb the next measurement. */
  settle(): Promise<void>;
}
