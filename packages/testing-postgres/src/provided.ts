/** What the main process tells the test workers about the server that a whole run shares. */
export interface ProvidedPostgres {
  /** A database of the server in which databases may be created. */
  readonly url: string;
  /** What the names of this run's databases begin with, so that they can be found again. */
  readonly databasePrefix: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgres: ProvidedPostgres;
  }
}
