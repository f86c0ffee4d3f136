/** What the main process passes to the test workers about the server that a run shares. */
export interface ProvidedPostgres {
  /** A database of a server on which databases may be created. */
  readonly url: string;
  /** The prefix of the names of this run's databases, by which they are dropped. */
  readonly databasePrefix: string;
  /** Whether it syncs its files. */
  readonly fsync: boolean;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgres: ProvidedPostgres;
  }
}
