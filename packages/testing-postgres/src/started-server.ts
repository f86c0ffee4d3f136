/** A server that can be used, before it was asked for its version. */
export interface StartedServer {
  readonly url: string;
  /** Which server it is, for people. */
  readonly description: string;
  /** Frees what the run took: the server itself, or its databases on a server that is somebody else's. */
  stop(): Promise<void>;
}
