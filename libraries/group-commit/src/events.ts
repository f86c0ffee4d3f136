/** Callbacks for metrics and traces. Each is called as a method of its object, and must not throw. */
export interface GroupCommitEvents<Context = unknown> {
  /** Called by `submit` for each queued item, in its caller's asynchronous context. `wrote` gets the result. */
  context?(): Context;
  /** Called once, with a function that returns the queue length. */
  watchWaiting?(count: () => number): void;
  /**
   * Called when a write has ended, with the number of its items and its duration. `settle` does not count as a write.
   *
   * @param contexts the results of `context` for the items and their duplicates; undefined without `context`.
   */
  wrote?(outcome: 'done' | 'failed', items: number, seconds: number, contexts?: readonly Context[]): void;
  /** Called before each retry of a write. */
  retried?(): void;
  /** Called when the circuit breaker opens or closes, and initially with `closed`; never without a circuit breaker. */
  circuit?(state: 'open' | 'closed'): void;
}
