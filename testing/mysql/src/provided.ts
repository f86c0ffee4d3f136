/** What the main process passes to the test workers: the server that a run shares, or why there is none. */
export type ProvidedMysql =
  | {
      /** A server on which databases may be created. */
      readonly url: string;
      /** The prefix of the names of this run's databases, by which they are dropped. */
      readonly databasePrefix: string;
    }
  | { readonly missing: string };

declare module 'vitest' {
  interface ProvidedContext {
    readonly mysql: ProvidedMysql;
  }
}
