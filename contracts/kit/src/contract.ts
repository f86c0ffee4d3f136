/**
 * Numbered clauses as data, which a test runner, a command or the test of the contract itself can run. Subject is the type of
 * what they are checked against.
 */
export interface Contract<Subject> {
  /** The name of the port: `Mailbox`. */
  readonly name: string;
  readonly clauses: readonly Clause<Subject>[];
  /** The file or URL that explains the clauses, for messages. */
  readonly documentation?: string;
  /** The frozen lists of clauses, oldest first. Every clause is in the newest. */
  readonly revisions?: readonly Revision[];
  /** The revision that the clauses are taken from, see `atRevision`. */
  readonly revision?: string;
  /** The clauses that newer revisions add. */
  readonly newer?: readonly Clause<Subject>[];
}

/**
 * The clauses of a contract as of a month. The list never changes, and a new clause goes into the next revision, so that an
 * implementation does not fail because the contract has grown.
 */
export interface Revision {
  /** The month: `2026-12`. */
  readonly name: string;
  /** The ids of the clauses. */
  readonly clauses: readonly string[];
}

/** One promise of a port, with the function that checks it. */
export interface Clause<Subject> {
  /** Its number in the documentation of the port: `MB-1`. */
  readonly id: string;
  /** The promise, as a sentence. */
  readonly title: string;
  /** Whether the clause binds this subject. It binds every subject by default. */
  readonly appliesTo?: (subject: Subject) => boolean;
  /**
   * Resolves if the subject keeps the promise.
   * @throws {ContractViolation} if it does not. Any other error means the same, with a poorer message.
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

/** Time, for checks: real time in a test of an adapter, virtual time in a test of the contract. */
export interface Tools {
  /** Resolves after this many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /**
   * Resolves in the next turn of the event loop, like `setImmediate`. A timer would take at least a millisecond, in which a fast
   * implementation can read and write.
   */
  readonly nextTurn: () => Promise<void>;
}
