/** The server of an engine, for a run. */
export interface DatabaseServer {
  /** A database whose user may create databases. */
  readonly url: string;
  /** For the report: the server, its version and the settings for the durability of commits. */
  readonly description: string;
  stop(): Promise<void>;
}
