/** A server that was started or found. */
export interface StartedServer {
  readonly url: string;
  /** Which server it is, for people. */
  readonly description: string;
  /** Removes what the run made: the server itself, or its databases on a given server. */
  stop(): Promise<void>;
}
