/** What happens, for metrics. Each is called as a method of its object, and must not throw. */
export interface GroupCommitEvents {
  /** Called once, with a function that returns how many items wait for a write. */
  watchWaiting?(count: () => number): void;
  /** Called when a write has ended, with the number of its items, and how long it took. To `settle` is no further write. */
  wrote?(outcome: 'done' | 'failed', items: number, seconds: number): void;
  /** Called before each retry of a write. */
  retried?(): void;
  /** Called when the circuit breaker opens or closes, and once at first, when it is closed; never without one. */
  circuit?(state: 'open' | 'closed'): void;
}
