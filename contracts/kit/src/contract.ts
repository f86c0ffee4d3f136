/**
 * A contract is data: numbered clauses that anything can run (a test runner, a command line, another contract's test).
 * Subject is what the clauses are checked against.
 */
export interface Contract<Subject> {
  /** The port's name, for people: `MailBox`. */
  readonly name: string;
  readonly clauses: readonly Clause<Subject>[];
  /** Where the clauses are explained, for the reader of a failure: a file or an address. */
  readonly documentation?: string;
  /** Its frozen lists of clauses, the oldest first; every clause is in the newest. */
  readonly revisions?: readonly Revision[];
  /** The name of the revision that its clauses are those of, and the clauses that newer ones add, see `atRevision`. */
  readonly revision?: string;
  readonly newer?: readonly Clause<Subject>[];
}

/**
 * The clauses that a contract has had since a month: `2026-12`. The list never changes, so an implementation that keeps it does
 * not become wrong by standing still. A new clause is in the next revision.
 */
export interface Revision {
  readonly name: string;
  /** The ids of its clauses. */
  readonly clauses: readonly string[];
}

/** One promise of a port, with the function that checks it. */
export interface Clause<Subject> {
  /** The number that the port's documentation gives it: `MB-1`. */
  readonly id: string;
  /** The promise, as a sentence. */
  readonly title: string;
  /** Whether the clause binds this subject; every subject by default. */
  readonly appliesTo?: (subject: Subject) => boolean;
  /**
   * Resolves if the subject keeps the promise.
   * @throws {ContractViolation} if it does not; any other error means the same, with a poorer message.
   * @throws {NotChecked} if the check needs something that was not supplied.
   */
  readonly check: (subject: Subject, tools: Tools) => Promise<void>;
}

/** The verdict on one clause. */
export type ClauseResult = { readonly id: string; readonly title: string } & (
  | { readonly verdict: 'passed' }
  | { readonly verdict: 'not-promised' }
  | { readonly verdict: 'failed' | 'not-checked' | 'known-failure'; readonly message: string }
);

/** What a check needs of the platform: real time in a test of an adapter, virtual time in a test of the contract. */
export interface Tools {
  /** Resolves after this many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /**
   * Resolves once everything already scheduled has started: `setImmediate` in Node. A timer takes at least a
   * millisecond, which is long enough for a fast implementation to read and write.
   */
  readonly nextTurn: () => Promise<void>;
}
